"""The HTTP API of the editor, as a FastAPI application."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from understandability._version import __version__
from understandability.errors import UnderstandabilityError
from understandability.evaluation.rerank import mixed_scores
from understandability.feature.batch import Batch
from understandability.inputs.fetching import FetchLimits, fetch
from understandability.inputs.office import DOCX, require_office_extra
from understandability.resources import resource
from understandability.scoring import Scorer, Settings, document_or_failure, document_under
from understandability.text.analysis import document_of_text
from understandability.text.page import HTML, TEXT, Failure, Page
from understandability.wording import plain_data
from understandability.writers.comparison import compare
from understandability.writers.explain import explain_document
from understandability.writers.hard_sentences import findings
from understandability.writers.llm_rewrite import LanguageModel, ask, checked
from understandability.writers.markdown import docx_of, html_of
from understandability.writers.page_report import page_report
from understandability.writers.plain_terms.english import english_of
from understandability.writers.plain_terms.offers import offers
from understandability.writers.proposals import proposals
from understandability.writers.serve import LOCAL_HOSTS, RequestLimits, messages
from understandability.writers.serve.docs import docs_page
from understandability.writers.serve.files import text_of_file
from understandability.writers.serve.guard import Guard
from understandability.writers.serve.metrics import Metrics

_MOST_CONVERSIONS = 2  # files at once, each in a process of its own
_MOST_EXPLAINED = 1_000_000  # characters; scoring has no such limit
_Result = TypeVar("_Result")
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": messages.ErrorReply}
    for status in (400, 401, 403, 408, 413, 415, 421, 422, 503, 504)
}


_FILE_AS_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class _Desk:
    """A queue of requests that are scored one after another, in one thread.

    One thread, because all requests share the tables of words. If more than `limits.waiting`
    requests wait, the next is refused with 503; one that takes too long is answered with 504.
    """

    def __init__(self, settings: Settings, limits: RequestLimits) -> None:
        self.limits = limits
        self.scorer = Scorer(settings)
        self.scorer.rows([document_of_text("A text.")])  # loads what the first would wait for
        self._thread = ThreadPoolExecutor(1, "scoring")
        self.waiting = 0  # requests that are scored or wait for that

    async def __call__(self, work: Callable[[], _Result]) -> _Result:
        if self.waiting >= self.limits.waiting:
            raise HTTPException(503, "too many requests wait already; try again in a few seconds")
        self.waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._thread, work)
        future.add_done_callback(self._leave)
        try:
            return await asyncio.wait_for(asyncio.shield(future), self.limits.seconds)
        except TimeoutError:
            future.cancel()  # if it has not started
            raise HTTPException(
                504, f"the answer took more than {self.limits.seconds:g} seconds; send less at once"
            ) from None

    def _leave(self, future: asyncio.Future[Any]) -> None:
        self.waiting -= 1
        if not future.cancelled():
            future.exception()  # nobody may wait for it any more

    def for_reader(self, choice: messages.ReaderChoice) -> Scorer:
        """Return the scorer for the reader that a request names; it shares the loaded bundle."""
        changes = {
            name: value
            for name in messages.ReaderChoice.model_fields
            if (value := getattr(choice, name)) is not None
        }
        if "reader" in changes:  # with all that belongs to it, whatever the server was started with
            changes = {"threshold": None, "user": None, "noise_scale": None, **changes}
        return Scorer(replace(self.scorer.settings, **changes), self.scorer.bundle)


class _Service:
    """Answers the requests of one worker process; each public method is one call of the API.

    The docstrings of these methods are the descriptions in ``/openapi.json``.
    """

    def __init__(
        self,
        settings: Settings,
        limits: RequestLimits,
        fetching: FetchLimits | None,
        model: LanguageModel | None,
    ) -> None:
        self._limits = limits
        self._fetching = fetching
        self._model = model
        self._desk = _Desk(settings, limits)
        self._converting = asyncio.Semaphore(_MOST_CONVERSIONS)
        self.metrics = Metrics()

    async def _explained(
        self, choice: messages.ReaderChoice, pages: Sequence[Page], answer: Callable[..., Response],
        **options: Any,
    ) -> Response:  # fmt: skip
        """Explain pages, and return the response that `answer` makes of the explanations."""

        def work() -> Response:
            scorer = self._desk.for_reader(choice)
            explanations = (
                explain_document(document_under(page, scorer.settings), scorer, **options)
                for page in pages
            )
            return answer(*explanations)

        return await self._desk(work)

    async def score(self, request: messages.ScoreRequest) -> messages.ScoreReply:
        """Score a text, a page, or a list of documents: the rows of `understand score`."""
        documents = request.documents
        if documents is None:
            pages = [_page("text", request.text, request.html)]
        else:
            _check_number(len(documents), self._limits)
            pages = [_page(page.id, page.text, page.html, page.url) for page in documents]
        return await self._desk(lambda: _scored(self._desk.for_reader(request), pages))

    async def explain_text(self, request: messages.ExplainRequest) -> Response:
        """Explain one text or page: what makes it hard, and what to say instead."""
        page = _explained_page(request.text, request.html)
        return await self._explained(
            request,
            [page],
            lambda explanation: JSONResponse({"explanation": explanation.to_json()}),
            steps=request.steps,
            english=request.english,
        )

    async def sentence(self, request: messages.SentenceRequest) -> messages.SentenceReply:
        """Propose changes to one sentence: cut, active, as a list, in plain terms."""
        page = _explained_page(request.text, None)
        return await self._desk(lambda: _proposed(request, page, self._desk.for_reader(request)))

    async def save(self, request: messages.SaveRequest) -> Response:
        """Convert a text in Markdown to an HTML or a DOCX file."""
        _explained_page(request.text, None)
        if request.kind == "html":
            return HTMLResponse(html_of(request.text, request.title))
        require_office_extra(DOCX)
        async with self._converting:
            content = await asyncio.to_thread(docx_of, request.text, request.title)
        return Response(content, media_type="application/octet-stream")

    async def rewrite_text(self, request: messages.RewriteRequest) -> messages.RewriteReply:
        """Rewrite a passage with the server's language model, and check the rewrite."""
        if self._model is None:
            raise HTTPException(
                403, "this server has no language model; start it with --model-url and --model"
            )
        proposed = await asyncio.to_thread(ask, request.text, self._model)
        rewrite = await self._desk(
            lambda: checked(request.text, proposed, self._desk.for_reader(request))
        )
        return messages.RewriteReply(rewrite=plain_data(rewrite))

    async def compare_texts(self, request: messages.CompareRequest) -> Response:
        """Compare two versions of a text: what changed, and what that gained."""
        pages = [_explained_page(request.before, None), _explained_page(request.after, None)]
        return await self._explained(
            request,
            pages,
            lambda *both: JSONResponse({"comparison": compare(*both).to_json()}),
        )

    async def report(self, request: messages.ReportRequest) -> Response:
        """Report on a text, or on what changed since an earlier version, as one HTML file."""
        pages = [replace(_explained_page(request.text, request.html), docno=request.title)]
        if request.before is not None:
            pages.insert(0, replace(_explained_page(request.before, None), docno="Before"))
        return await self._explained(
            request,
            pages,
            lambda *explanations: HTMLResponse(
                page_report(explanations, comparing=len(explanations) == 2)
            ),
        )

    async def rerank(self, request: messages.RerankRequest) -> messages.RerankReply:
        """Rerank the documents of a search engine, moving the easier ones up.

        Scores are scaled from 0 (the lowest) to 1 (the highest); a document's new score
        is ``(1 - weight) * score + weight * P(U|d)``. One without an estimate keeps its scaled
        score.
        """
        _check_number(len(request.documents), self._limits)
        return await self._desk(lambda: _reranked(request, self._desk.for_reader(request)))

    async def text(self, request: Request, name: str = "") -> messages.TextReply:
        """Extract the text of a file: HTML, DOCX, ODT, PDF or plain, by the end of its name."""
        content = await request.body()
        async with self._converting:
            reply = await asyncio.to_thread(text_of_file, content, name, self._limits.seconds)
        return messages.TextReply(**reply)

    async def fetch_text(self, request: messages.FetchRequest) -> messages.TextReply:
        """Fetch a page from the network and extract its text; requires the option --fetch."""
        if self._fetching is None:
            raise HTTPException(
                403, "this server fetches nothing from the network; start it with --fetch"
            )
        async with self._converting:
            fetched = await asyncio.to_thread(fetch, request.url, self._fetching)
            reply = await asyncio.to_thread(
                text_of_file, fetched.content, f"page{fetched.suffix}", self._limits.seconds,
                fetched.charset,
            )  # fmt: skip
        return messages.TextReply(**reply)

    async def healthz(self) -> messages.HealthReply:
        """Confirm that the server is running, and name its model."""
        return messages.HealthReply(
            status="ok",
            version=__version__,
            bundle=self._desk.scorer.bundle.name,
            fetch=self._fetching is not None,
            rewrite=self._model is not None,
        )

    async def metrics_text(self) -> str:
        """Return the metrics of one worker for Prometheus: requests, their times, the queue."""
        return self.metrics.text(self._desk.waiting)


def create(
    settings: Settings | None = None,
    *,
    hosts: Sequence[str] = LOCAL_HOSTS,
    token: str | None = None,
    limits: RequestLimits | None = None,
    fetching: FetchLimits | None = None,
    model: LanguageModel | None = None,
    origins: Sequence[str] = (),
) -> Guard:
    """Create the server as an ASGI application.

    `hosts` are the host names that requests may name (``*`` is any). `token` is the bearer token
    that clients must send. `limits` are the limits of a request. Pages are fetched from the network
    only if `fetching` is set, and texts are sent to a language model only if `model` is set. Pages
    of `origins` may embed the component.
    """
    limits = limits or RequestLimits()
    service = _Service(settings or Settings(), limits, fetching, model)
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
        service.metrics.add(path, response.status_code, time.perf_counter() - start)
        return response

    for error_type in (RequestValidationError, HTTPException, UnderstandabilityError, Exception):
        app.add_exception_handler(error_type, _error_reply)

    app.post("/v1/score")(service.score)
    app.post("/v1/explain", response_model=messages.ExplainReply)(service.explain_text)
    app.post("/v1/sentence")(service.sentence)
    app.post("/v1/save", response_model=None)(service.save)
    app.post("/v1/rewrite")(service.rewrite_text)
    app.post("/v1/compare", response_model=messages.CompareReply)(service.compare_texts)
    app.post("/v1/report", responses={200: {"content": {"text/html": {}}}}, response_model=None)(
        service.report
    )
    app.post("/v1/rerank")(service.rerank)
    app.post("/v1/text", openapi_extra=_FILE_AS_BODY)(service.text)
    app.post("/v1/fetch")(service.fetch_text)
    app.get("/healthz")(service.healthz)
    app.get("/metrics", response_class=PlainTextResponse)(service.metrics_text)

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(docs_page(app.openapi()))

    if token:
        app.openapi = partial(_with_token, app.openapi)  # type: ignore[method-assign]  # as FastAPI's documentation has it
    _add_files(app)
    return Guard(
        app=app, hosts=tuple(hosts), token=token, limits=limits, origins=frozenset(origins)
    )


def _add_files(app: FastAPI) -> None:
    """Add the paths of the editor's files."""
    media_types = {".html": "text/html", ".css": "text/css", ".js": "text/javascript"}
    paths = {path.name: path for path in resource("editor").iterdir() if path.suffix in media_types}
    files = {name: path.read_text("utf-8") for name, path in paths.items()}

    @app.get("/editor/{name}", include_in_schema=False)
    async def file(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, "there is no such file")
        return Response(files[name], media_type=media_types[paths[name].suffix])

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return await file("index.html")


def _with_token(described: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return the OpenAPI description, extended by the bearer token that calls require."""
    api = described()
    api["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    api["paths"]["/healthz"]["get"]["security"] = []
    return {**api, "security": [{"token": []}]}


_FRAMEWORK = {
    "Not Found": "there is nothing at this path; the calls are described at /openapi.json",
    "There was an error parsing the body": "the body is not JSON in UTF-8, or nested too deeply",
}


async def _error_reply(request: Request, error: Exception) -> Response:
    """Answer a failed request with one sentence."""
    # The server's log has it whole; what it says may hold parts of a text.
    status, headers = 500, {}
    sentence = f"the server met an error of its own ({type(error).__name__})"
    if isinstance(error, RequestValidationError):
        status, sentence = 422, _sentence(error.errors()[0])
    elif isinstance(error, UnderstandabilityError):
        status, sentence = 422, str(error)
    elif isinstance(error, HTTPException):
        status, headers = error.status_code, dict(error.headers or {})  # 405 names what is allowed
        sentence = _FRAMEWORK.get(str(error.detail), str(error.detail))
        if status == 503:
            headers["Retry-After"] = "2"
        if status == 405:
            allowed = headers["Allow"]
            sentence = f"{request.url.path} does not take {request.method}; use {allowed}"
    return JSONResponse({"error": sentence}, status, headers)


def _sentence(error: dict[str, Any]) -> str:
    """Describe a validation error of pydantic in a sentence.

    >>> _sentence({"type": "missing", "loc": ("body", "text"), "msg": "Field required"})
    'text: field required'
    """
    if error["type"] == "json_invalid":
        return f"the body is not JSON: {error['ctx']['error']}"
    field = ".".join(str(part) for part in error["loc"] if part != "body")
    what = str(error["msg"]).removeprefix("Value error, ")
    return f"{field}: {what[:1].lower()}{what[1:]}" if field else what


def _check_number(number: int, limits: RequestLimits) -> None:
    if number > limits.documents:
        raise HTTPException(
            413, f"{number:,} documents are more than the {limits.documents:,} of one request"
        )


def _page(docno: str, text: str | None, html: str | None, url: str | None = None) -> Page:
    if html is None:
        return Page(docno, "", text or "", TEXT, url=url)
    return Page(docno, "", html, HTML, url=url)


def _explained_page(text: str | None, html: str | None) -> Page:
    """Make a page of a text or HTML; refuse one that is too long to be explained with 413."""
    length = len(text or html or "")
    if length > _MOST_EXPLAINED:
        raise HTTPException(
            413, f"{length:,} characters are more than the {_MOST_EXPLAINED:,} that are explained"
        )
    return _page("text", text, html)


def _proposed(
    request: messages.SentenceRequest, page: Page, scorer: Scorer
) -> messages.SentenceReply:
    document = document_under(page, scorer.settings)
    if request.sentence >= len(document.sentence_starts):
        raise HTTPException(
            422, f"sentence: the text has {len(document.sentence_starts)}, counted from 0"
        )
    batch = Batch([document])
    english = request.english or english_of(document.pieces)
    offered = proposals(
        document, request.sentence, findings(batch), offers(batch, english)[0], scorer, english
    )
    return messages.SentenceReply(proposals=plain_data(offered))


def _scored(scorer: Scorer, pages: Sequence[Page]) -> messages.ScoreReply:
    results = [document_or_failure(page, scorer.settings) for page in pages]
    documents = [document for document in results if not isinstance(document, Failure)]
    failures = [failure for failure in results if isinstance(failure, Failure)]
    rows = [row for table in scorer.score_all(documents) for row in table.to_pylist()]
    return messages.ScoreReply(
        settings=plain_data(scorer.described),
        rows=plain_data(rows),
        errors=[
            {"docno": failure.docno, "stage": failure.stage, "error": failure.error}
            for failure in failures
        ],
    )


def _reranked(request: messages.RerankRequest, scorer: Scorer) -> messages.RerankReply:
    results = request.documents
    pages = [
        _page(str(index), result.text, result.html)  # two may have one id
        for index, result in enumerate(results)
        if result.p_understandable is None
    ]
    estimates = {row["docno"]: row["p_understandable"] for row in _scored(scorer, pages).rows}
    chances = [
        estimates.get(str(index)) if result.p_understandable is None else result.p_understandable
        for index, result in enumerate(results)
    ]
    mixed = mixed_scores([result.score for result in results], chances, request.weight)
    order = sorted(range(len(results)), key=lambda index: -mixed[index])  # stable
    return messages.RerankReply(
        documents=[
            messages.RerankedDocument(
                id=results[index].id,
                rank=rank,
                score=mixed[index],
                p_understandable=chances[index],
            )
            for rank, index in enumerate(order, 1)
        ]
    )
