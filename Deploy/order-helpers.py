#!/usr/bin/env python3
"""Writes Deploy/helpers.order: the names of everything that a start of sluice-glance touches, code and data, in the order of first touch.

    swift build -c release --product sluice-bench && Deploy/build-helpers.sh
    .build/release/sluice-bench helper --keep /tmp/order
    python3 Deploy/order-helpers.py /tmp/order/groups shop

Needs valgrind and nm, and takes a minute. Run it when the figures of `sluice-bench helper` have grown; the list is of no other use.
"""

import bisect
import os
import subprocess
import sys
import tempfile

HELPER = ".build-static/release/sluice-glance"
# The first one's order comes first: a line for a bar or a prompt is what has to be quick.
QUESTIONS = [
    ["count", "Item", "--where", "isChecked == false"],
    ["query", "Item", "price > 10", "--order", "price desc", "--limit", "5", "--fields", "title,price"],
    ["get", "7"],
    ["list", "Item", "--limit", "20"],
    ["status"],
]
HEADER = """\
# What a start of a helper touches, in order: Deploy/order-helpers.py wrote this, the linker reads it (Deploy/build-helpers.sh).
"""


def symbols(program):
    """Names by address. Several names of one address are one section: the first will do."""
    names = {}
    for line in subprocess.run(["nm", "-n", program], capture_output=True, text=True, check=True).stdout.splitlines():
        address, _, name = line.split(" ", 2) if not line.startswith(" ") else ("", "", "")
        if address:
            names.setdefault(int(address, 16), name)
    return names


def touched(program, arguments):
    """Addresses in the order of their first touch."""
    with tempfile.NamedTemporaryFile("r", suffix=".trace") as trace:
        tool = ["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={trace.name}"]
        subprocess.run(tool + [program] + arguments, stdout=subprocess.DEVNULL, check=True)
        seen = set()
        for line in trace:
            if line[:2] not in ("I ", " L", " S", " M"):
                continue
            address = int(line[3:].split(",")[0], 16)
            if address not in seen:
                seen.add(address)
                yield address


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: order-helpers.py GROUPS_DIRECTORY GROUP")
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    place = ["--groups-dir", sys.argv[1], "--group", sys.argv[2]]
    names = symbols(HELPER)
    addresses = sorted(names)
    order = {}
    for question in QUESTIONS:
        for address in touched(HELPER, question + place):
            index = bisect.bisect_right(addresses, address) - 1
            if index >= 0 and address <= addresses[-1] + 4096:
                order.setdefault(names[addresses[index]])
    with open("Deploy/helpers.order", "w") as file:
        file.write(HEADER)
        file.writelines(f"{name}\n" for name in order)
    print(f"Deploy/helpers.order: {len(order)} names")


main()
