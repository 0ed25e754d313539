"""Checks the request bodies of the snapshots against the types of the vendors' own libraries.

In: crates/llm/src/session/tests/snapshots/*wire_*.snap, and those of images in crates/providers/src/provider; the packages `openai`, `anthropic`,
`google-genai` and `ollama`. Out: a line a body. With an address as argument, each body is also
sent to the server there, with `Bearer KEY` if a second argument names a key.
"""

import json
import pathlib
import sys
import urllib.error
import urllib.request

import ollama
import pydantic
from anthropic.types import message_create_params
from google.genai import types as google
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

CRATES = pathlib.Path(__file__).parents[2] / "crates"
FOLDER = CRATES / "llm/src/session/tests/snapshots"
IMAGES = CRATES / "providers/src/provider/wire/snapshots"
TYPES = {
    "openai": (completion_create_params.CompletionCreateParamsStreaming, "v1/chat/completions"),
    "responses": (response_create_params.ResponseCreateParamsStreaming, "v1/responses"),
    "anthropic": (message_create_params.MessageCreateParamsStreaming, "v1/messages"),
    "gemini": (
        {
            "contents": list[google.Content],
            "systemInstruction": google.Content,
            "tools": list[google.Tool],
            "toolConfig": google.ToolConfig,
            "generationConfig": google.GenerationConfig,
        },
        "v1beta/models/{model}:streamGenerateContent?alt=sse",
    ),
    # The client's own type drops what it does not know, so each part is checked by itself.
    "ollama": (
        {
            "model": str,
            "messages": list[ollama.Message],
            "tools": list[ollama.Tool],
            "stream": bool,
            "options": ollama.Options,
        },
        "api/chat",
    ),
}


def bodies(protocol):
    """Returns the bodies of one snapshot, each with the tools that the first one shows."""
    (snapshot,) = FOLDER.glob(f"*wire_{protocol}.snap")
    listed = json.loads(snapshot.read_text().split("---\n", 2)[2])
    for body in listed:
        if "tools" in body:
            body["tools"] = listed[0]["tools"]
    (snapshot,) = IMAGES.glob(f"*images_{protocol}.snap")
    return [*listed, json.loads(snapshot.read_text().split("---\n", 2)[2])]


# Ollama's server reads these, and its documentation shows them; its Python client does not know them.
BEYOND = {"messages": {"tool_call_id"}, "messages.tool_calls": {"id", "type"}}


def strict(kind, body):
    """Validates, and refuses fields that the type does not have."""
    if isinstance(kind, dict):
        unknown = set(body) - set(kind)
        for key in set(body) & set(kind):
            given = with_images(body[key])
            held = pydantic.TypeAdapter(kind[key]).validate_python(given)
            covered(given, held, key)
    else:
        unknown = set(body) - kind.__required_keys__ - kind.__optional_keys__
        pydantic.TypeAdapter(kind).validate_python(body)
    assert not unknown, f"unknown fields {unknown}"


def with_images(messages):
    """Returns messages with their images as Ollama's type holds what is sent as base64."""
    if not isinstance(messages, list):
        return messages
    wrapped = lambda one: {**one, "images": [{"value": image} for image in one["images"]]}
    return [wrapped(one) if "images" in one else one for one in messages]


def covered(given, held, where):
    """Asserts that a type kept every field that it was given."""
    if isinstance(held, pydantic.BaseModel):
        names = {field.alias or name for name, field in type(held).model_fields.items()}
        names |= set(type(held).model_fields)
        unknown = set(given) - names - BEYOND.get(where, set())
        assert not unknown, f"{where}: unknown fields {unknown}"
        for name, field in type(held).model_fields.items():
            key = field.alias if field.alias in given else name
            if key in given:
                covered(given[key], getattr(held, name), f"{where}.{key}")
    elif isinstance(held, (list, tuple)) and isinstance(given, list):
        for one, kept in zip(given, held, strict=True):
            covered(one, kept, where)


def send(address, key, path, body):
    """Returns the status and the beginning of the answer."""
    headers = {"content-type": "application/json"}
    if key:
        headers |= {"authorization": f"Bearer {key}", "x-goog-api-key": key}
    request = urllib.request.Request(
        f"{address}/{path.format(model=body.get('model', MODEL))}",
        json.dumps(body).encode(),
        headers,
    )
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, answer.read(100)
    except urllib.error.HTTPError as error:
        return error.code, error.read(300)


MODEL = "m"
ADDRESS, KEY = (sys.argv[1:] + [None, None])[:2]
for protocol, (kind, path) in TYPES.items():
    for number, body in enumerate(bodies(protocol), 1):
        strict(kind, body)
        told = send(ADDRESS, KEY, path, body) if ADDRESS else "valid"
        print(protocol, number, told)
