#!/usr/bin/env bash
# Prints the interpreter of a Python environment with the official Model Context Protocol client in it. For tests.
exec bash "$(dirname "${BASH_SOURCE[0]}")/python-client.sh" mcp-client mcp 2.3.0
