"""The calls of the server, on Starlette and FastAPI."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from understandability._version import __version__
from understandability.errors import PageError, UnderstandabilityError
from understandability.records import HTML, TEXT, Page
from understandability.report.explanation import explain, without_nan
from understandability.scoring import Scorer, Settings
from understandability.serve.files import text_of_file
from understandability.serve.guard import LOCAL_HOSTS, App, Guard, Limits
from understandability.serve.messages import (
    ErrorReply,
    ExplainReply,
    ExplainRequest,
    HealthReply,
    ReaderChoice,
    RerankedDocument,
    RerankReply,
    RerankRequest,
    ScoreReply,
    ScoreRequest,
    TextReply,
)
from understandability.storage.resources import resource

_Result = TypeVar("_Result")
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply} for status in (400, 401, 403, 408, 413, 415, 421, 422, 503, 504)
}


class _Desk:
    """Scores one request after another, in one thread, since words are numbered once for all.

    Who has to wait behind too many others, or too long, is told to come again.
    """

    def __init__(self, settings: Settings, limits: Limits) -> None:
        self.limits = limits
        self.scorer = Scorer(settings)
        self._thread = ThreadPoolExecutor(1, "scoring")
        self._waiting = 0

    async def __call__(self, work: Callable[[], _Result]) -> _Result:
        if self._waiting >= self.limits.waiting:
            raise HTTPException(503, "too many requests wait already; try again in some seconds")
        self._waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        future.add_done_callback(self._leave)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.limits.seconds)
        except TimeoutError:
            future.cancel()  # if it has not begun
            raise HTTPException(
                504, f"the answer took more than {self.limits.seconds:g} seconds; send less at once"
            ) from None

    def _leave(self, _: Any) -> None:
        self._waiting -= 1

    def for_reader(self, choice: ReaderChoice) -> Scorer:
        """The scorer, for the reader that a request asks for; it shares the loaded bundle."""
        changes = {
            name: value
            for name in ReaderChoice.model_fields
            if (value := getattr(choice, name)) is not None
        }
        return self.scorer.with_settings(replace(self.scorer.settings, **changes))


def create(
    settings: Settings | None = None,
    *,
    hosts: Sequence[str] = LOCAL_HOSTS,
    token: str | None = None,
    limits: Limits | None = None,
) -> App:
    """The server as an ASGI application.

    `hosts` are the names that it answers to (``*`` is any), `token` what callers have to send as
    a bearer token, `limits` what a request may take.
    """
    limits = limits or Limits()
    desk = _Desk(settings or Settings(), limits)
    counted: Counter[tuple[str, int]] = Counter()
    seconds: Counter[str] = Counter()
    app = FastAPI(
        title="understandability",
        version=__version__,
        summary="How likely is a reader to understand a text?",
        docs_url=None,
        redoc_url=None,
        responses=_ERRORS,
    )

    @app.middleware("http")
    async def count(request: Request, call: Any) -> Response:
        start = time.perf_counter()
        response: Response = await call(request)
        path = getattr(request.scope.get("route"), "path", "other")
        counted[path, response.status_code] += 1
        seconds[path] += time.perf_counter() - start  # type: ignore[assignment]  # seconds are not whole
        return response

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
        return JSONResponse({"error": f"{place}: {first['msg']}"}, 422)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        later = {"Retry-After": "2"} if error.status_code == 503 else None
        return JSONResponse({"error": str(error.detail)}, error.status_code, later)

    @app.exception_handler(UnderstandabilityError)
    async def mended_by_the_user(request: Request, error: UnderstandabilityError) -> Response:
        return JSONResponse({"error": str(error)}, 422)

    @app.post("/v1/score")
    async def score(request: ScoreRequest) -> ScoreReply:
        """Score a text, a page, or a list of documents: the rows of `understand score`."""
        documents = request.documents
        if documents is None:
            pages = [_page("text", request.text, request.html)]
        else:
            _check_number(len(documents), limits)
            pages = [_page(each.id, each.text, each.html, each.url) for each in documents]
        return await desk(lambda: _scored(desk.for_reader(request), pages))

    @app.post("/v1/explain")
    async def explain_text(request: ExplainRequest) -> ExplainReply:
        """Explain one text or page: what makes it hard, and what to say instead."""
        page = _page("text", request.text, request.html)

        def work() -> ExplainReply:
            scorer = desk.for_reader(request)
            return ExplainReply(explanation=explain(scorer.document(page), scorer).to_json())

        return await desk(work)

    @app.post("/v1/rerank")
    async def rerank(request: RerankRequest) -> RerankReply:
        """Order the documents of a search engine anew, the easier ones further up.

        Scores are brought to 0 to 1 between the lowest and the highest; a document's new score
        is ``(1 - weight) * score + weight * P(U|d)``. One without an estimate keeps its share.
        """
        _check_number(len(request.documents), limits)
        return await desk(lambda: _reranked(request, desk.for_reader(request)))

    @app.post("/v1/text")
    async def text(request: Request, name: str = "") -> TextReply:
        """The text of a file (HTML, DOCX, ODT, PDF, plain), whose name tells its kind."""
        content = await request.body()
        return await desk(lambda: TextReply(**text_of_file(content, name)))

    @app.get("/healthz")
    async def healthz() -> HealthReply:
        """That the server is there, and which model it uses."""
        return HealthReply(status="ok", version=__version__, bundle=desk.scorer.bundle.name)

    @app.get("/metrics", response_class=PlainTextResponse)
    async def metrics() -> str:
        """Requests and seconds by call, as Prometheus reads them."""
        lines = ["# TYPE understandability_requests_total counter"]
        lines += [
            f'understandability_requests_total{{path="{path}",status="{status}"}} {count}'
            for (path, status), count in sorted(counted.items())
        ]
        lines.append("# TYPE understandability_seconds_total counter")
        lines += [
            f'understandability_seconds_total{{path="{path}"}} {total:.3f}'
            for path, total in sorted(seconds.items())
        ]
        return "\n".join(lines) + "\n"

    _add_files(app)
    return Guard(app, hosts=tuple(hosts), token=token, limits=limits)


_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def _add_files(app: FastAPI) -> None:
    """The editor's own files, and no others."""
    folder = Path(resource("editor"))
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in _KINDS}

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return Response(files["index.html"], media_type="text/html; charset=utf-8")

    @app.get("/editor/{name}", include_in_schema=False)
    async def file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, "there is no such file")
        return Response(files[name], media_type=f"{_KINDS[Path(name).suffix]}; charset=utf-8")


def _check_number(number: int, limits: Limits) -> None:
    if number > limits.documents:
        raise HTTPException(
            413, f"{number:,} documents are more than the {limits.documents:,} of one request"
        )


def _page(docno: str, text: str | None, html: str | None, url: str | None = None) -> Page:
    if html is None:
        return Page(docno, "", text or "", TEXT, url=url)
    return Page(docno, "", html, HTML, url=url)


def _scored(scorer: Scorer, pages: Sequence[Page]) -> ScoreReply:
    rows, errors = [], []
    for page in pages:
        try:
            rows.append(without_nan(scorer.score_page(page)))
        except PageError as error:
            errors.append({"docno": page.docno, "stage": error.stage, "error": str(error)})
    return ScoreReply(settings=without_nan(scorer.described), rows=rows, errors=errors)


def _reranked(request: RerankRequest, scorer: Scorer) -> RerankReply:
    scores = [each.score for each in request.documents]
    low, high = min(scores), max(scores)
    made = []
    for each in request.documents:
        chance = each.p_understandable
        if chance is None:
            reply = _scored(scorer, [_page(each.id, each.text, each.html)])
            chance = reply.rows[0]["p_understandable"] if reply.rows else None
        share = (each.score - low) / (high - low) if high > low else 1.0
        score = share
        if chance is not None:
            score = (1 - request.weight) * share + request.weight * chance
        made.append((score, each.id, chance))
    made.sort(key=lambda each: -each[0])  # equal ones keep their order
    return RerankReply(
        documents=[
            RerankedDocument(id=name, rank=rank, score=score, p_understandable=chance)
            for rank, (score, name, chance) in enumerate(made, 1)
        ]
    )
