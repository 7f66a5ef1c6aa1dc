"""The server as a process, or several."""

from __future__ import annotations

import gc
import json
import os
import socket
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from understandability.errors import InputError, MissingExtraError, OptionError
from understandability.inputs.fetching import FetchLimits
from understandability.scoring import Settings
from understandability.writers.rewriting import LanguageModel
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
