"""Asks sluice-mcp everything through the official client, and says what differs from what is expected.

    client.py SERVER GROUPS_DIRECTORY     # a container `shop` of Item and List, as ServerFixture makes it
"""

import asyncio
import json
import sys

from mcp import Client, ClientSession, MCPError, StdioServerParameters, stdio_client

PROGRAM, GROUPS = sys.argv[1:3]
SERVER = StdioServerParameters(command=PROGRAM, args=["--group", "shop", "--groups-dir", GROUPS])
TOOLS = ["list_entities", "describe_entity", "query", "get", "freshness"]


def expect(found, wanted, what):
    if found != wanted:
        raise SystemExit(f"{what}: {found!r} instead of {wanted!r}")


def texts(result):
    return [block.text for block in result.content]


async def error_code(request):
    try:
        await request
    except MCPError as error:
        return error.code
    return None


async def with_session():
    """The session, one request after the other."""
    async with stdio_client(SERVER) as (read, write), ClientSession(read, write) as session:
        hello = await session.initialize()
        expect(hello.protocol_version, "2025-06-18", "revision")
        expect(hello.server_info.name, "sluice-mcp", "name")
        expect(hello.capabilities.prompts, None, "prompts")
        await session.send_ping()

        tools = (await session.list_tools()).tools
        expect([tool.name for tool in tools], TOOLS, "tools")
        expect({tool.annotations.read_only_hint for tool in tools}, {True}, "hints")

        entities = json.loads(texts(await session.call_tool("list_entities", {}))[0])
        expect([(e["name"], e["rows"]) for e in entities["entities"]], [("Item", 3), ("List", 1)], "entities")
        query = await session.call_tool(
            "query", {"entity": "Item", "filter": "isDone == false && list.name == 'food'", "fields": ["title"], "order": "title", "limit": 5}
        )
        expect(query.is_error, False, "query")
        expect([row["title"] for row in json.loads(texts(query)[0])["rows"]], ['"soap"\n', "milk"], "rows")
        record = json.loads(texts(await session.call_tool("get", {"name": "milk"}))[0])["record"]
        expect((record["title"], record["price"], record["list"]), ("milk", 1.5, "food"), "record")
        expect(json.loads(texts(await session.call_tool("freshness", {}))[0])["generation"], 1, "generation")

        wrong = await session.call_tool("query", {"entity": "Item", "filter": "nothing == 1"})
        expect(wrong.is_error, True, "wrong filter")
        expect(await error_code(session.call_tool("drop_table", {})), -32602, "unknown tool")

        resources = (await session.list_resources()).resources
        expect([str(r.uri) for r in resources], ["sluice://shop/entity/Item", "sluice://shop/entity/List"], "resources")
        templates = (await session.list_resource_templates()).resource_templates
        expect(len(templates), 2, "templates")
        contents = (await session.read_resource(resources[0].uri)).contents
        expect(json.loads(contents[0].text)["total"], 3, "resource")
        expect(await error_code(session.read_resource("sluice://shop/entity/Nothing")), -32002, "unknown resource")
        expect(await error_code(session.list_prompts()), -32601, "unknown method")

        # Many at once: each is answered under its own number.
        names = ["milk", "bread", "soap"] * 20
        answers = await asyncio.gather(*(session.call_tool("get", {"name": name}) for name in names))
        expect([json.loads(texts(answer)[0])["record"]["_name"] for answer in answers], names, "answers at once")


async def with_client():
    """The newer face of the same client, which first asks what this server does not know."""
    async with Client(stdio_client(SERVER)) as client:
        expect([tool.name for tool in (await client.list_tools()).tools], TOOLS, "tools of the client")
        count = json.loads(texts(await client.call_tool("query", {"entity": "Item", "limit": 1}))[0])
        expect((count["returned"], count["total"]), (1, 3), "rows of the client")


asyncio.run(asyncio.wait_for(with_session(), 60))
asyncio.run(asyncio.wait_for(with_client(), 60))
print("ok")
