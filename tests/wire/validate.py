"""Checks the request bodies of the snapshots against the types of the vendors' own libraries.

In: crates/llm/src/session/tests/snapshots/*wire_*.snap; the packages `openai` and `anthropic`.
Out: a line a body. With an address as argument, each body is also sent to the server there.
"""

import json
import pathlib
import sys
import urllib.error
import urllib.request

import pydantic
from anthropic.types import message_create_params
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

FOLDER = pathlib.Path(__file__).parents[2] / "crates/llm/src/session/tests/snapshots"
TYPES = {
    "openai": (completion_create_params.CompletionCreateParamsStreaming, "chat/completions"),
    "responses": (response_create_params.ResponseCreateParamsStreaming, "responses"),
    "anthropic": (message_create_params.MessageCreateParamsStreaming, "messages"),
}


def bodies(protocol):
    """Returns the bodies of one snapshot, each with the tools that the first one shows."""
    (snapshot,) = FOLDER.glob(f"*wire_{protocol}.snap")
    listed = json.loads(snapshot.read_text().split("---\n", 2)[2])
    for body in listed:
        body["tools"] = listed[0]["tools"]
    return listed


def strict(kind, body):
    """Validates, and refuses fields that the type does not have."""
    adapter = pydantic.TypeAdapter(kind)
    unknown = set(body) - kind.__required_keys__ - kind.__optional_keys__
    assert not unknown, f"unknown fields {unknown}"
    adapter.validate_python(body)


def send(address, path, body):
    """Returns the status and the beginning of the answer."""
    request = urllib.request.Request(
        f"{address}/v1/{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read(100)
    except urllib.error.HTTPError as error:
        return error.code, error.read(300)


for protocol, (kind, path) in TYPES.items():
    for number, body in enumerate(bodies(protocol), 1):
        strict(kind, body)
        told = send(sys.argv[1], path, body) if len(sys.argv) > 1 else "valid"
        print(protocol, number, told)
