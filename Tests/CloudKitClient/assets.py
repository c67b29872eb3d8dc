"""Uploads, refers to, reads and reuses files of a record service through pyicloud's CloudKit client, and says what differs from what is expected.

    assets.py BASE_URL AUTHORITY API_TOKEN USER_TOKEN STRANGER_TOKEN

`upload_asset` and `download_asset_bytes` are the client's own; what it has no method for goes through its `raw_post` and says "raw".
"""

import sys

import requests
from pyicloud.common.cloudkit.client import CloudKitApiError, CloudKitAuthError, CloudKitContainerClient
from pyicloud.common.cloudkit.models import CKModifyOperation, CKQueryObject, CKWriteRecord, CKZoneChangesZoneReq, CKZoneID, CKZoneIDReq

BASE, AUTHORITY, API_TOKEN, USER_TOKEN, STRANGER_TOKEN = sys.argv[1:6]
ZONE = CKZoneIDReq(zoneName="Files")


def make_client(token):
    session = requests.Session()
    session.verify = AUTHORITY
    return CloudKitContainerClient(BASE, session, {"ckAPIToken": API_TOKEN, "ckWebAuthToken": token})


def expect(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r} instead of {wanted!r}")


def error_of(call, kind):
    try:
        call()
    except kind as error:
        return error
    raise SystemExit(f"{kind.__name__} was expected")


client, stranger = make_client(USER_TOKEN), make_client(STRANGER_TOKEN)
for someone in (client, stranger):  # raw: the client makes no zones
    someone.raw_post("/zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Files"}}}]})


def upload(data, who=client, name="a"):
    return who.upload_asset(record_type="Photo", field_name="image", record_name=name, data=data, zone_id=ZONE)


def save(name, value, kind="forceUpdate", who=client):
    fields = {"image": {"type": "ASSETID", "value": value}}
    operation = CKModifyOperation(operationType=kind, record=CKWriteRecord(recordName=name, recordType="Photo", fields=fields))
    return who.modify(operations=[operation], zone_id=ZONE).records[0]


def image(record):
    return record.fields.image.value


def dumped(token):
    return token.model_dump(mode="json", exclude_none=True)


content = bytes(range(256)) * 4096 * 10  # 10 MiB: more than the body of any other request may have
token = upload(content)
expect(token.size, len(content), "size")
expect(upload(content).fileChecksum, token.fileChecksum, "the same bytes have the same checksum")
made = save("a", dumped(token), "create")
expect(client.download_asset_bytes(image(made).downloadURL), content, "download after the write")

(looked_up,) = client.lookup(["a"], zone_id=ZONE).records
(queried,) = client.query(query=CKQueryObject(recordType="Photo"), zone_id=ZONE).records
fed = client.changes(zone_req=CKZoneChangesZoneReq(zoneID=CKZoneID(zoneName="Files"))).zones[0].records[0]
for record in (looked_up, queried, fed):
    expect(image(record).fileChecksum, token.fileChecksum, "checksum")
    expect(b"".join(client.download_asset_stream(image(record).downloadURL)), content, "streamed download")
expect(image(save("a", dumped(image(looked_up)))).fileChecksum, token.fileChecksum, "written back as it was read")

again = client.raw_post("/assets/rereference", {"zoneID": {"zoneName": "Files"}, "assets": [{"recordName": "a", "fieldName": "image"}]})  # raw
expect(client.download_asset_bytes(image(save("b", again["assets"][0])).downloadURL), content, "used again")

for change in ({"fileChecksum": "AQ=="}, {"size": 1}, {"receipt": "AAAA"}):
    refused = error_of(lambda: save("c", {**dumped(token), **change}), CloudKitApiError)
    expect(refused.payload["records"][0]["serverErrorCode"], "BAD_REQUEST", f"wrong {list(change)[0]}")
refused = error_of(lambda: save("c", dumped(image(looked_up))), CloudKitApiError)
expect("receipt" in refused.payload["records"][0]["reason"], True, "what was read cannot be attached elsewhere")

for value in (dumped(token), dumped(image(looked_up)), again["assets"][0]):
    error_of(lambda: save("a", value, who=stranger), CloudKitApiError)
expect(stranger.lookup(["a"], zone_id=ZONE).records[0].serverErrorCode, "NOT_FOUND", "a stranger's lookup")
url = image(looked_up).downloadURL
error_of(lambda: stranger.download_asset_bytes(url[:-2] + ("AA" if url[-2:] != "AA" else "BB") + "A"), CloudKitAuthError)

# raw, without the client: an upload that ends in the middle, and one to nowhere
upload_url = client.raw_post(
    "/assets/upload", {"zoneID": {"zoneName": "Files"}, "tokens": [{"recordType": "Photo", "fieldName": "image"}]}
)["tokens"][0]["url"]


def cut_off():
    yield b"x" * 100_000
    raise ConnectionAbortedError


error_of(lambda: requests.post(upload_url, data=cut_off(), verify=AUTHORITY), (ConnectionAbortedError, requests.ConnectionError))
expect(requests.post(upload_url + "AAAA", data=b"x", verify=AUTHORITY).status_code, 403, "a changed upload URL")
expect(requests.post(upload_url, data=b"x", verify=AUTHORITY).json()["singleFile"]["size"], 1, "the URL is good after all")
print("ok")
