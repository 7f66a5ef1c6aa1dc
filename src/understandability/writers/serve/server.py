"""Start the server, in one process or several."""

from __future__ import annotations

import gc
import json
import os
import re
import secrets
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Unpack

from cyclopts import Parameter

from understandability.crawls.processes import arrow_without_pandas, physical_cores
from understandability.errors import InputError, OptionError, check_range, needing
from understandability.inputs.fetching import FetchLimits
from understandability.keywords import keywords_of
from understandability.scoring import Settings, SettingsOptions
from understandability.writers.llm_rewrite import KEY, LanguageModel
from understandability.writers.serve import LOCAL_HOSTS, RequestLimits

# Environment variable with the options, for the worker processes; `application` reads it.
_CHOSEN = "UNDERSTANDABILITY_SERVE"
_MOST_CONNECTIONS = 2000


def application() -> Any:
    """Create the application from the options of `serve`; each worker process creates its own."""
    chosen = json.loads(os.environ[_CHOSEN])
    if chosen["answers"]:
        from understandability.writers.serve.answers import collector

        return collector(
            chosen["answers"],
            chosen["token"],
            hosts=tuple(chosen["hosts"]),
            seconds=chosen["limits"]["seconds"],
        )
    from understandability.writers.serve.app import create

    arrow_without_pandas()
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
    gc.freeze()  # lists and models stay: no search for garbage passes over them
    return app


@keywords_of(Settings)
def serve(
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    name: Sequence[str] = (),
    allow_origin: Annotated[Sequence[str], Parameter(metavar="ORIGIN")] = (),
    token: str | None = None,
    workers: Annotated[str | int, Parameter(metavar="N")] = "1",
    limit_mb: float = 10.0,
    limit_seconds: float = 20.0,
    fetch: bool = False,
    fetch_private: bool = False,
    model_url: Annotated[str | None, Parameter("--model-url", metavar="URL")] = None,
    model: Annotated[str | None, Parameter("--model", metavar="NAME")] = None,
    answers: Annotated[str | None, Parameter(metavar="FOLDER")] = None,
    **choices: Unpack[SettingsOptions],
) -> None:
    """Open the editor for writers on this machine, and an HTTP API.

    Nothing that you type leaves the machine. With --fetch, the editor fetches pages from addresses
    that you give; with --model-url and --model, it can send a passage to that language model
    when you ask for a rewrite. The page /docs describes the API. With --answers, the server only
    collects the answers of participants, whose page `understand ask` made.

    Example: understand serve

    Args:
        host: Address to listen on; 0.0.0.0 means every address, and needs --token.
        port: Port to listen on.
        name: Another host name that the server answers to, such as a proxy's. May be repeated.
        allow_origin: A site whose pages may load the component, such as https://cms.example.org.
            May be repeated.
        token: Bearer token that callers must send; or set UNDERSTANDABILITY_TOKEN.
        workers: Worker processes; auto is one for each physical core.
        limit_mb: Longest request in MB.
        limit_seconds: Longest time for a request.
        fetch: Fetch addresses from the network.
        fetch_private: With --fetch: also from this machine and its network.
        model_url: Where a language model answers: the address before /chat/completions. Its key is
            read from UNDERSTANDABILITY_MODEL_KEY.
        model: The name of the model there.
        answers: Store answers that pages of `understand ask` post, in this folder, and serve
            nothing else. Without --token, a token is made and printed.
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
    if answers and (fetch or model_url or allow_origin):
        raise OptionError(
            "--answers only collects answers; leave out --fetch, --model-url and --allow-origin, "
            "or start a second server"
        )
    check_range(0, 65_535, port=port)
    worker_count = _worker_count(workers)
    check_range(0.001, 1000, limit_mb=limit_mb)
    check_range(0.1, 3600, limit_seconds=limit_seconds)
    with needing("understand serve needs optional packages", ".[serve]"):
        import uvicorn

        from understandability.writers.serve.connections import Connection, listen
    token = token or os.environ.get("UNDERSTANDABILITY_TOKEN")
    if answers:
        token = token or secrets.token_hex(16)
        Path(answers).mkdir(parents=True, exist_ok=True)
    if host not in LOCAL_HOSTS and not token:
        raise OptionError(
            f"anybody who reaches {host} could use the server; give a --token, or leave out --host"
        )
    fetching = FetchLimits(int(limit_mb * 1e6), limit_seconds, private=fetch_private)
    language_model = None
    if model_url and model:
        language_model = LanguageModel(model_url, model, os.environ.get(KEY, ""), limit_seconds)
    hosts = (*LOCAL_HOSTS, *name)
    if host not in hosts:
        hosts = ("*",) if host in ("0.0.0.0", "::") and not name else (*hosts, host)
    os.environ[_CHOSEN] = json.dumps(
        {
            "settings": asdict(Settings(**choices)),  # type: ignore[arg-type]  # checked there
            "hosts": hosts,
            "token": token,
            "limits": asdict(RequestLimits(megabytes=limit_mb, seconds=limit_seconds)),
            "fetching": asdict(fetching) if fetch else None,
            "model": asdict(language_model) if language_model else None,
            "origins": list(allow_origin),
            "answers": answers and str(Path(answers).resolve()),
        }
    )
    try:
        listening = listen(host, port)
    except OSError as error:
        raise InputError(
            f"port {port} of {host} cannot be used ({error.strerror}); choose another with --port"
        ) from error
    port = listening.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    print(f"{address} (Ctrl-C ends it)", flush=True)
    if answers:
        print(
            f"Answers are stored in {answers}. Make the page with: understand ask TEXTS.csv --post "
            f"{address}answers --token {token} -o study.html",
            flush=True,
        )
    with listening:
        uvicorn.run(
            "understandability.writers.serve.server:application",
            factory=True,
            fd=listening.fileno(),
            http=Connection,
            workers=worker_count,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=10,
        )


def _worker_count(workers: int | str) -> int:
    """Return a number of processes; ``auto`` is the number of physical cores.

    >>> _worker_count("3"), _worker_count("auto") > 0
    (3, True)
    """
    if workers == "auto":
        return physical_cores()
    if isinstance(workers, str):
        if not workers.isdecimal():
            raise OptionError(f"--workers takes a number or auto, not {workers!r}")
        workers = int(workers)
    check_range(1, 1000, workers=workers)
    return workers
