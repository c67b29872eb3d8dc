#!/usr/bin/env bash
# Prints the interpreter of a Python environment with a published CloudKit client in it. For tests.
exec bash "$(dirname "${BASH_SOURCE[0]}")/python-client.sh" cloudkit-client pyicloud 2026.10.1
