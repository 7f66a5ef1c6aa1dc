"""The page at ``/docs``: the calls of the server, made from its OpenAPI description.

It contains no script and loads nothing from another site, so it also works without a network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

_HEAD = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>understandability: the API</title>'
    '<meta name="viewport" content="width=device-width">'
)


def docs_page(description: Mapping[str, Any]) -> str:
    """Return an HTML page that lists the calls, the fields of their messages, and their replies.

    >>> page = docs_page({"info": {"title": "t", "version": "1"}, "paths": {}})
    >>> "<h1>t 1</h1>" in page
    True
    """
    info = description["info"]
    schemas = description.get("components", {}).get("schemas", {})
    parts = [
        _HEAD,
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
        f"<p>{escape(info.get('summary', ''))}</p>",
        "<p>Messages are JSON in UTF-8, plain or with <code>Content-Encoding: gzip</code>. A wrong "
        'request gets a status and one sentence. <a href="openapi.json">openapi.json</a> describes '
        "everything for programs.</p>",
    ]
    for path, calls in description["paths"].items():
        for method, call in calls.items():
            parts.append(f"<h2><code>{method.upper()} {escape(path)}</code></h2>")
            parts.append(f"<p>{escape(call.get('description') or call.get('summary', ''))}</p>")
            parts += _fields(call, schemas)
    return "".join(parts)


def _fields(call: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table of the fields of a request, if it is JSON."""
    content = call.get("requestBody", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    schema = schemas.get(reference.rpartition("/")[2])
    if schema is None:
        if content:
            yield f"<p>The body is a file ({escape(', '.join(content))}).</p>"
        return
    required = set(schema.get("required", ()))
    yield "<table><tr><th>field</th><th>type</th><th>meaning</th></tr>"
    for name, field in schema.get("properties", {}).items():
        mark = " (required)" if name in required else ""
        yield (
            f"<tr><td><code>{escape(name)}</code>{mark}</td><td>{escape(_type_of(field))}</td>"
            f"<td>{escape(field.get('description', ''))}</td></tr>"
        )
    yield "</table>"


def _type_of(field: Mapping[str, Any]) -> str:
    """Return the type of a field in words."""
    if "anyOf" in field:
        types = [_type_of(choice) for choice in field["anyOf"] if choice.get("type") != "null"]
        return " or ".join(types)
    if "enum" in field:
        return ", ".join(map(str, field["enum"]))
    if "$ref" in field:
        return str(field["$ref"].rpartition("/")[2])
    if field.get("type") == "array":
        return f"list of {_type_of(field.get('items', {}))}"
    return str(field.get("type", "any"))
