"""`understand serve`: the editor for writers, and the HTTP API."""

from __future__ import annotations

from typing import Annotated

import typer

from understandability.cli.groups import ReaderOptions, with_groups
from understandability.cli.options import Fetch, FetchPrivate


@with_groups
def serve(
    host: Annotated[
        str,
        typer.Option(help="Address to listen on; 0.0.0.0 means every address, and needs --token."),
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on.")] = 8765,
    name: Annotated[
        list[str] | None,
        typer.Option(help="Another host name that the server answers to, such as a proxy's."),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            envvar="UNDERSTANDABILITY_TOKEN",
            show_envvar=False,
            help="Bearer token that callers must send; or set UNDERSTANDABILITY_TOKEN.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes.")] = 1,
    *,
    model: ReaderOptions,
    limit_mb: Annotated[
        float, typer.Option(min=0.001, max=1000, help="Longest request in MB.")
    ] = 10.0,
    limit_seconds: Annotated[
        float, typer.Option(min=0.1, max=3600, help="Longest time for a request.")
    ] = 20.0,
    fetch: Fetch = False,
    fetch_private: FetchPrivate = False,
) -> None:
    """Open the editor for writers on this machine, and an HTTP API.

    Nothing that is typed leaves the machine. With --fetch the editor gets pages from addresses
    that are given to it. The API is described at /openapi.json.

    Example: understand serve
    """
    from understandability.errors import OptionError
    from understandability.inputs.fetching import FetchLimits
    from understandability.scoring import Settings
    from understandability.writers.serve.guard import RequestLimits
    from understandability.writers.serve.server import run

    if fetch_private and not fetch:
        raise OptionError("--fetch-private says where --fetch may go; add --fetch")
    run(
        Settings(**model.chosen),
        host=host,
        port=port,
        names=tuple(name or ()),
        token=token,
        workers=workers,
        limits=RequestLimits(megabytes=limit_mb, seconds=limit_seconds),
        fetching=FetchLimits(int(limit_mb * 1e6), limit_seconds, private=fetch_private)
        if fetch
        else None,
    )
