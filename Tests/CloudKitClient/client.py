"""Asks a record service everything through pyicloud's CloudKit client, over TLS, and says what differs from what is expected.

    client.py BASE_URL AUTHORITY API_TOKEN USER_TOKEN HASTY_TOKEN
        # BASE_URL: https://…/database/1/CONTAINER/ENVIRONMENT/private, a database without custom zones
        # HASTY_TOKEN: a token that may be throttled; of the same user

What the client has no method for goes through its own `raw_post`; each such place says "raw".
"""

import sys

import requests
from pyicloud.common.cloudkit.client import (
    CloudKitApiError,
    CloudKitAuthError,
    CloudKitContainerClient,
    CloudKitRateLimited,
)
from pyicloud.common.cloudkit.models import (
    CKErrorItem,
    CKModifyOperation,
    CKQueryFilterBy,
    CKQueryObject,
    CKQuerySortBy,
    CKTombstoneRecord,
    CKWriteRecord,
    CKZoneChangesZoneReq,
    CKZoneID,
    CKZoneIDReq,
)

BASE, AUTHORITY, API_TOKEN, USER_TOKEN, HASTY_TOKEN = sys.argv[1:6]
ZONE = CKZoneIDReq(zoneName="Notes")


def make_client(user_token, extra="allow"):
    session = requests.Session()
    session.verify = AUTHORITY
    return CloudKitContainerClient(
        BASE, session, {"ckAPIToken": API_TOKEN, "ckWebAuthToken": user_token, "remapEnums": True}, validation_extra=extra
    )


client = make_client(USER_TOKEN)


def expect(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r} instead of {wanted!r}")


def error_of(call, kind=CloudKitApiError):
    try:
        call()
    except kind as error:
        return error
    raise SystemExit(f"{kind.__name__} was expected")


def operation(kind, name, fields=None, tag=None, record_type="Note"):
    return CKModifyOperation(
        operationType=kind,
        record=CKWriteRecord(recordName=name, recordType=record_type, fields=fields or {}, recordChangeTag=tag),
    )


def modify(*operations, atomic=None):
    return client.modify(operations=list(operations), zone_id=ZONE, atomic=atomic).records


def codes(error):
    return [record.get("serverErrorCode") for record in error.payload["records"]]


def zones():
    def make(*names, kind="create"):  # raw: the client makes no zones
        operations = [{"operationType": kind, "zone": {"zoneID": {"zoneName": name}}} for name in names]
        return client.raw_post("/zones/modify", {"operations": operations})["zones"]

    first = client.database_changes()
    expect(first.zones, [], "database feed at the beginning")
    make("Notes", "Archive", "Drafts")
    expect([z.zoneID.zoneName for z in client.zones_list().zones], ["_defaultZone", "Notes", "Archive", "Drafts"], "zones")
    looked_up = client.raw_post("/zones/lookup", {"zones": [{"zoneName": "Notes"}, {"zoneName": "Gone"}]})["zones"]  # raw
    expect([z.get("serverErrorCode") for z in looked_up], [None, "ZONE_NOT_FOUND"], "zone lookup")

    second = client.database_changes(sync_token=first.syncToken)
    expect([z.zoneID.zoneName for z in second.zones], ["Notes", "Archive", "Drafts"], "database feed")
    names, token = [], first.syncToken
    for _ in range(3):  # raw: the client's method takes no limit
        page = client.raw_post("/changes/database", {"syncToken": token, "resultsLimit": 1})
        names += [z["zoneID"]["zoneName"] for z in page["zones"]]
        token = page["syncToken"]
        expect(page["moreComing"], len(names) < 3, "more zones to come")
    expect(names, ["Notes", "Archive", "Drafts"], "database feed in pages")

    expect([z.get("deleted") for z in make("Drafts", kind="delete")], [True], "zone deletion")
    third = client.database_changes(sync_token=second.syncToken)
    expect([(z.zoneID.zoneName, z.deleted) for z in third.zones], [("Drafts", True)], "database feed after a deletion")
    expect(client.database_changes(sync_token=third.syncToken).zones, [], "database feed when caught up")
    make("Papers")
    found, token = [], second.syncToken
    for _ in range(2):  # raw, as above
        page = client.raw_post("/changes/database", {"syncToken": token, "resultsLimit": 1})
        found += [(z["zoneID"]["zoneName"], z.get("deleted", False)) for z in page["zones"]]
        token = page["syncToken"]
    expect((found, page["moreComing"]), ([("Drafts", True), ("Papers", False)], False), "database feed in pages, a deleted zone among them")


def every_operation():
    (made,) = modify(operation("create", "a", {"n": {"value": 1, "type": "INT64"}, "t": {"value": "x", "type": "STRING"}}))
    expect((made.recordName, made.recordType, made.fields.n.value, made.fields.t.value), ("a", "Note", 1, "x"), "create")
    expect(made.created.userRecordName is not None and made.zoneID.zoneName == "Notes", True, "who and where")

    (updated,) = modify(operation("update", "a", {"n": {"value": 2, "type": "INT64"}}, made.recordChangeTag))
    expect((updated.fields.n.value, updated.fields.t.value), (2, "x"), "update keeps other fields")
    (replaced,) = modify(operation("replace", "a", {"n": {"value": 3, "type": "INT64"}}, updated.recordChangeTag))
    expect((replaced.fields.n.value, "t" in replaced.fields), (3, False), "replace drops other fields")
    (forced,) = modify(operation("forceUpdate", "a", {"t": {"value": "y", "type": "STRING"}}))
    expect((forced.fields.n.value, forced.fields.t.value), (3, "y"), "forceUpdate")
    (forced,) = modify(operation("forceReplace", "b", {"t": {"value": "z", "type": "STRING"}}))
    expect(forced.fields.t.value, "z", "forceReplace makes")

    expect(codes(error_of(lambda: modify(operation("create", "a")))), ["EXISTS"], "create of what is there")
    stale = error_of(lambda: modify(operation("update", "a", {"n": {"value": 9, "type": "INT64"}}, made.recordChangeTag)))
    expect(codes(stale), ["CONFLICT"], "update with an old tag")
    expect(codes(error_of(lambda: modify(operation("delete", "a", tag=made.recordChangeTag)))), ["CONFLICT"], "delete with an old tag")
    expect(codes(error_of(lambda: modify(operation("update", "a")))), ["BAD_REQUEST"], "update without a tag")
    expect(codes(error_of(lambda: modify(operation("update", "x", tag="1.1.0000000000000000")))), ["NOT_FOUND"], "update of nothing")
    batch = error_of(lambda: modify(operation("create", "c"), operation("create", "a")))
    expect(codes(batch), ["ATOMIC_ERROR", "EXISTS"], "an atomic batch")
    error_of(lambda: modify(operation("create", "c"), operation("create", "a"), atomic=False))
    expect([r.recordName for r in client.lookup(["c"], zone_id=ZONE).records], ["c"], "a batch that is not atomic")

    (gone,) = modify(operation("delete", "b", tag=forced.recordChangeTag))
    expect((isinstance(gone, CKTombstoneRecord), gone.recordName), (True, "b"), "delete")
    expect(isinstance(modify(operation("forceDelete", "b"))[0], CKTombstoneRecord), True, "forceDelete of nothing")
    modify(operation("forceDelete", "c"))


def every_type():
    values = {
        "string": ("STRING", "a\u0000é\U0001f600"),
        "int": ("INT64", -(2**63)),
        "double": ("DOUBLE", 0.1),
        "time": ("TIMESTAMP", 1700000000123),
        "bytes": ("BYTES", "AAECgA=="),
        "reference": ("REFERENCE", {"recordName": "a", "action": "NONE"}),
        "location": ("LOCATION", {"latitude": 48.5, "longitude": -2.25}),
        "strings": ("STRING_LIST", ["x", ""]),
        "empty": ("STRING_LIST", []),
        "ints": ("INT64_LIST", [1, 2**62]),
        "references": ("REFERENCE_LIST", [{"recordName": "a", "action": "NONE"}]),
    }
    fields = {name: {"type": kind, "value": value} for name, (kind, value) in values.items()}
    client.raw_post(  # raw: the client's own models would turn times and bytes into Python's before they are sent
        "/records/modify",
        {"zoneID": {"zoneName": "Notes"}, "operations": [{"operationType": "create", "record": {"recordName": "types", "recordType": "Types", "fields": fields}}]},
    )
    raw = client.raw_post("/records/lookup", {"zoneID": {"zoneName": "Notes"}, "records": [{"recordName": "types"}]})
    expect(raw["records"][0]["fields"], {n: {"value": v, "type": k} for n, (k, v) in sorted(values.items())}, "every type")
    (record,) = client.lookup(["types"], zone_id=ZONE).records
    expect((record.fields.bytes.value, record.fields.time.value.year), (b"\x00\x01\x02\x80", 2023), "types as the client reads them")
    numbers = client.raw_post(
        "/records/lookup", {"zoneID": {"zoneName": "Notes"}, "numbersAsStrings": True, "records": [{"recordName": "types"}]}
    )["records"][0]["fields"]
    expect((numbers["int"]["value"], numbers["ints"]["value"][1]), (str(-(2**63)), str(2**62)), "numbers as text")
    modify(operation("forceDelete", "types", record_type="Types"))


def lookup():
    found = client.lookup(["a", "missing"], zone_id=ZONE, desired_keys=["t"]).records
    expect((found[0].recordName, list(found[0].fields)), ("a", ["t"]), "lookup with a field")
    expect((isinstance(found[1], CKErrorItem), found[1].serverErrorCode, found[1].recordName), (True, "NOT_FOUND", "missing"), "lookup with a miss")
    nowhere = error_of(lambda: client.lookup(["a"], zone_id=CKZoneIDReq(zoneName="Nowhere")))
    expect(nowhere.payload["serverErrorCode"], "ZONE_NOT_FOUND", "lookup in no zone")


def feed():
    def pages(token=None, limit=None):
        request = CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Notes"), syncToken=token)
        return list(client.iter_changes(zone_req=request, results_limit=limit))

    modify(*(operation("create", f"f{number:02}", {"n": {"value": number, "type": "INT64"}}) for number in range(25)))
    found = pages(limit=10)
    expect([page.moreComing for page in found], [True, True, False], "pages of the feed")
    names = [record.recordName for page in found for record in page.records if not isinstance(record, CKTombstoneRecord)]
    expect(names, ["a"] + [f"f{number:02}" for number in range(25)], "the feed")
    token = found[-1].syncToken

    modify(operation("forceDelete", "f03"), operation("forceUpdate", "f04", {"n": {"value": 44, "type": "INT64"}}))
    (page,) = pages(token)
    expect([(r.recordName, isinstance(r, CKTombstoneRecord)) for r in page.records], [("f03", True), ("f04", False)], "changes")
    in_pages = [([r.recordName for r in p.records], isinstance(p.records[0], CKTombstoneRecord), p.moreComing) for p in pages(token, limit=1)]
    expect(in_pages, [(["f03"], True, True), (["f04"], False, False)], "a tombstone on a page of its own")
    (page,) = pages(page.syncToken)
    expect((page.records, page.moreComing), ([], False), "a feed that is caught up")
    expect("BAD_REQUEST" in str(error_of(lambda: pages("garbage"))), True, "a token that is none")
    default = CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="_defaultZone"))
    expect("cannot get changes in default zone" in str(error_of(lambda: client.changes(zone_req=default))), True, "default zone")
    old = client.raw_post("/records/changes", {"zoneID": {"zoneName": "Notes"}, "syncToken": token})  # raw: the deprecated form
    expect(([r["recordName"] for r in old["records"]], old["moreComing"]), (["f03", "f04"], False), "records/changes")


def query():
    def run(filters=(), sorts=(), limit=None, **more):
        question = CKQueryObject(recordType="Note", filterBy=list(filters) or None, sortBy=list(sorts) or None)
        names, marker = [], None
        while True:
            where = {} if more.get("zone_wide") else {"zone_id": ZONE}
            page = client.query(query=question, results_limit=limit, continuation=marker, **where, **more)
            names += [record.recordName for record in page.records]
            marker = page.continuationMarker
            if marker is None:
                return names

    def having(comparator, field, kind, value):
        return CKQueryFilterBy(comparator=comparator, fieldName=field, fieldValue={"type": kind, "value": value})

    every = ["a"] + [f"f{number:02}" for number in range(25) if number != 3]
    expect(run(), every, "query of a type")
    expect(run(limit=7), every, "query in pages")
    expect(run(limit=7, zone_wide=True), every, "query of all zones")
    by_number = sorted((n for n in range(25) if n not in (3, 4)), reverse=True)
    found = run(sorts=[CKQuerySortBy(fieldName="n", ascending=False), CKQuerySortBy(fieldName="___recordID")], limit=5)
    # a and no other has 3.
    expect(found, ["f04"] + [f"f{n:02}" for n in by_number if n > 3] + ["a"] + ["f02", "f01", "f00"], "query sorted, in pages")
    expect(run([having("EQUALS", "n", "INT64", 7)]), ["f07"], "EQUALS")
    expect(run([having("GREATER_THAN_OR_EQUALS", "n", "INT64", 23)]), ["f04", "f23", "f24"], "GREATER_THAN_OR_EQUALS")
    expect(run([having("LESS_THAN", "n", "INT64", 5), having("GREATER_THAN", "n", "INT64", 1)]), ["a", "f02"], "two filters")
    expect(run([having("BEGINS_WITH", "___recordID", "STRING", "f2")]), [f"f{n}" for n in range(20, 25)], "BEGINS_WITH")
    expect(run([having("IN", "___recordID", "STRING_LIST", ["f01", "x", "a"])]), ["a", "f01"], "IN")
    target = {"recordName": "f01", "action": "NONE"}
    modify(operation("create", "holder", {"r": {"value": target, "type": "REFERENCE"}, "l": {"value": ["x", "y"], "type": "STRING_LIST"}}))
    expect(run([having("EQUALS", "r", "REFERENCE", {"recordName": "f01"})]), ["holder"], "a reference")
    expect(run([having("LIST_CONTAINS", "l", "STRING", "y")]), ["holder"], "LIST_CONTAINS")
    expect(run([having("CONTAINS_ANY", "l", "STRING_LIST", ["y", "z"])]), ["holder"], "CONTAINS_ANY")
    modify(operation("forceDelete", "holder"))

    session = requests.Session()
    session.verify = AUTHORITY
    params = {"ckAPIToken": API_TOKEN, "ckWebAuthToken": USER_TOKEN, "getCurrentSyncToken": True}
    token = CloudKitContainerClient(BASE, session, params).query_sync_token(query=CKQueryObject(recordType="Note"), zone_id=ZONE)
    modify(operation("create", "late"))
    since = client.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Notes"), syncToken=token)).zones[0].records
    expect([record.recordName for record in since], ["late"], "the feed from a query's sync token on")
    modify(operation("forceDelete", "late"))

    keys = client.query(query=CKQueryObject(recordType="Note"), zone_id=ZONE, desired_keys=["t"], results_limit=1).records
    expect(list(keys[0].fields), ["t"], "desired keys")
    scalar = error_of(lambda: run([having("IN", "n", "INT64", 7)]))
    expect((scalar.payload["serverErrorCode"], "Unexpected input" in scalar.payload["reason"]), ("BAD_REQUEST", True), "IN with one value")
    wrong = error_of(lambda: client.query(query=CKQueryObject(recordType="Note"), zone_id=ZONE, continuation="garbage"))
    expect(wrong.payload["serverErrorCode"], "BAD_REQUEST", "a marker that is none")


def who():
    caller = client.raw_post("/users/caller", {})  # raw
    expect(caller["userRecordName"].startswith("_"), True, "users/caller")
    unknown = error_of(lambda: make_client("nobody").zones_list())
    expect((unknown.payload["serverErrorCode"], "redirectURL" in unknown.payload), ("AUTHENTICATION_REQUIRED", True), "no user token")
    session = requests.Session()
    session.verify = AUTHORITY
    error_of(lambda: CloudKitContainerClient(BASE, session, {"ckAPIToken": "0" * 64}).zones_list(), CloudKitAuthError)
    # Query, lookup and feed fit the client's strictest reading.
    strict = make_client(USER_TOKEN, "forbid")
    strict.query(query=CKQueryObject(recordType="Note"), zone_id=ZONE)
    strict.lookup(["a"], zone_id=ZONE)
    strict.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Notes")))


def throttled():
    hasty = make_client(HASTY_TOKEN)
    for _ in range(10_000):
        try:
            hasty.zones_list()
        except CloudKitRateLimited as error:
            expect(error.retry_after >= 1, True, "seconds to wait")
            client.zones_list()  # The other token is not slowed down.
            return
    raise SystemExit("nobody was throttled")


for part in (zones, every_operation, every_type, lookup, feed, query, who, throttled):
    try:
        part()
    except Exception as error:
        raise SystemExit(f"{part.__name__}: {error!r} {getattr(error, 'payload', '')}") from error
print("ok")
