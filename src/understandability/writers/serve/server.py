"""The server as a process, or several."""

from __future__ import annotations

import gc
import json
import os
import re
import socket
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from understandability.errors import InputError, MissingExtraError, OptionError
from understandability.inputs.fetching import FetchLimits
from understandability.prompt import AtPrompt
from understandability.scoring import Settings
from understandability.writers.rewriting import KEY, LanguageModel
from understandability.writers.serve.guard import LOCAL_HOSTS, RequestLimits

# What the parent process tells those that answer; it is read by `application`.
_CHOSEN = "UNDERSTANDABILITY_SERVE"
_LOCAL = ("127.0.0.1", "localhost", "::1")
_MOST_CONNECTIONS = 2000


def application() -> Any:
    """The application with what `run` chose; each process that answers makes its own.

    Lists and models stay for good, so that no search for what can be freed passes over them while
    somebody waits.
    """
    from understandability.writers.serve.app import create

    chosen = json.loads(os.environ[_CHOSEN])
    app = create(
        Settings(**chosen["settings"]),
        hosts=chosen["hosts"],
        token=chosen["token"],
        limits=RequestLimits(**chosen["limits"]),
        fetching=FetchLimits(**chosen["fetching"]) if chosen["fetching"] else None,
        model=LanguageModel(**chosen["model"]) if chosen["model"] else None,
        origins=chosen["origins"],
    )
    gc.collect()
    gc.freeze()
    return app


def run(
    settings: Settings,
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    names: Sequence[str] = (),
    token: str | None = None,
    workers: int = 1,
    limits: RequestLimits | None = None,
    fetching: FetchLimits | None = None,
    model: LanguageModel | None = None,
    origins: Sequence[str] = (),
) -> None:
    """Answer requests until the process is told to stop.

    Raises `OptionError` for an address that others reach without a token, `InputError` for a port
    that is in use, and `MissingExtraError` where the server's packages are not installed.
    """
    try:
        import uvicorn
    except ImportError as error:
        raise MissingExtraError(
            "understand serve needs optional packages: pip install 'understandability[serve]'"
        ) from error
    if host not in _LOCAL and not token:
        raise OptionError(
            f"anybody who reaches {host} could use the server; give a --token, or leave out --host"
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise InputError(
                f"port {port} of {host} cannot be used ({error.strerror}); choose another "
                "with --port"
            ) from error
        port = trial.getsockname()[1]
    hosts = (*LOCAL_HOSTS, *names)
    if host not in hosts:
        hosts = ("*",) if host in ("0.0.0.0", "::") and not names else (*hosts, host)
    os.environ[_CHOSEN] = json.dumps(
        {
            "settings": asdict(settings),
            "hosts": hosts,
            "token": token,
            "limits": asdict(limits or RequestLimits()),
            "fetching": asdict(fetching) if fetching else None,
            "model": asdict(model) if model else None,
            "origins": list(origins),
        }
    )
    print(f"http://{f'[{host}]' if ':' in host else host}:{port}/ (Ctrl-C ends it)", flush=True)
    uvicorn.run(
        "understandability.writers.serve.server:application",
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=10,
    )


def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    name: Annotated[Sequence[str], AtPrompt(list[str])] = (),
    allow_origin: Annotated[Sequence[str], AtPrompt(list[str], value="ORIGIN")] = (),
    token: str | None = None,
    workers: int = 1,
    limit_mb: float = 10.0,
    limit_seconds: float = 20.0,
    fetch: bool = False,
    fetch_private: bool = False,
    model_url: Annotated[str | None, AtPrompt(str, "--model-url", value="URL")] = None,
    model: Annotated[str | None, AtPrompt(str, "--model", value="NAME")] = None,
    **choices: Annotated[Any, AtPrompt((Settings,))],
) -> None:
    """Open the editor for writers on this machine, and an HTTP API.

    Nothing that is typed leaves the machine. With --fetch the editor gets pages from addresses
    that are given to it; with --model-url and --model it can send a passage to that language model
    when the writer asks for it. The API is described at /openapi.json.

    Example: understand serve

    Args:
        host: Address to listen on; 0.0.0.0 means every address, and needs --token.
        port: Port to listen on.
        name: Another host name that the server answers to, such as a proxy's. May be repeated.
        allow_origin: A site whose pages may hold the component, such as https://cms.example.org.
            May be repeated.
        token: Bearer token that callers must send; or set UNDERSTANDABILITY_TOKEN.
        workers: Worker processes.
        limit_mb: Longest request in MB.
        limit_seconds: Longest time for a request.
        fetch: Get addresses from the network.
        fetch_private: With --fetch: also from this machine and its network.
        model_url: Where a language model answers: the address before /chat/completions. Its key is
            read from UNDERSTANDABILITY_MODEL_KEY.
        model: The name of the model there.
    """
    if fetch_private and not fetch:
        raise OptionError("--fetch-private says where --fetch may go; add --fetch")
    for origin in allow_origin:
        if not re.fullmatch(r"https?://[^/\s*?#@]+", origin):
            raise OptionError(
                f"--allow-origin is a site such as https://cms.example.org, not {origin!r}"
            )
    if bool(model_url) != bool(model):
        raise OptionError("a model has an address and a name; give --model-url and --model")
    for option, value, low, high in (
        ("--port", port, 0, 65535), ("--workers", workers, 1, 1000),
        ("--limit-mb", limit_mb, 0.001, 1000), ("--limit-seconds", limit_seconds, 0.1, 3600),
    ):  # fmt: skip
        if not low <= value <= high:
            raise OptionError(f"{option} is a number from {low:g} to {high:g}, not {value:g}")
    run(
        Settings(**choices),
        host=host,
        port=port,
        names=tuple(name),
        token=token or os.environ.get("UNDERSTANDABILITY_TOKEN"),
        workers=workers,
        limits=RequestLimits(megabytes=limit_mb, seconds=limit_seconds),
        fetching=FetchLimits(int(limit_mb * 1e6), limit_seconds, private=fetch_private)
        if fetch
        else None,
        model=LanguageModel(model_url, model, os.environ.get(KEY, ""), limit_seconds)
        if model_url and model
        else None,
        origins=tuple(allow_origin),
    )
