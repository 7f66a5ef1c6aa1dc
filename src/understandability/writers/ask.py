"""`understand ask`: a page on which readers say what they understood of texts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from cyclopts import Parameter

from understandability.errors import InputError, OptionError, check_choice, check_range
from understandability.inputs.study_answers import MOST_CHARACTERS, SCHEMA
from understandability.resources import resource_text
from understandability.training.study_texts import StudyText, read_study_texts, study_digest
from understandability.writers.templates import digest_source, template_of

LANGUAGES = ("en", "de", "es", "fr", "nl")  # of `resources/ask/words.json`
TOKEN = "UNDERSTANDABILITY_TOKEN"  # the environment variable
# Neither a space nor what would end an entry of the content security policy.
_URL = re.compile(r"https?://[^\s;,'\"<>?#@]+")
_MOST_BYTES = 100_000  # of instructions
_NONE = "'none'"  # the source of a policy that allows nothing


def ask(
    texts: Annotated[str, Parameter(metavar="TEXTS")],
    *,
    title: str = "How clear is this?",
    per_participant: Annotated[int | None, Parameter(metavar="N")] = None,
    post: Annotated[str | None, Parameter(metavar="URL")] = None,
    token: str | None = None,
    instructions: Annotated[str | None, Parameter(metavar="FILE")] = None,
    consent: Annotated[str | None, Parameter(metavar="FILE")] = None,
    language: Annotated[str, Parameter(choices=LANGUAGES)] = "en",
    tell: Annotated[Callable[[str], None] | None, Parameter(parse=False)] = None,
) -> str:
    """Make a page on which your readers say what they understood of your texts.

    The page is one file that needs no server and no network. It shows one text at a time, in an
    order of its own for each participant, and asks for the main message, your questions, and how
    sure the participant is. Participants send back a file, or the page posts the answers to
    `understand serve --answers`. `understand calibrate` compares the answers with P(U|d).

    Example: understand ask texts.csv -o study.html

    Args:
        texts: A table with an id and a text in each row (or the name of a file, in a column file),
            and perhaps question_1 and choices_1 (separated by |, a * before the right one),
            question_2 and so on; or a folder or file of texts or pages.
        title: Heading of the page.
        per_participant: Number of texts that each participant reads, drawn at random. Default: all.
        post: Address of `understand serve --answers`, to which the page posts the answers.
        token: The token of that server, which everybody who has the page can read; or set
            UNDERSTANDABILITY_TOKEN.
        instructions: A text file with what the page says first, in place of its own words.
        consent: A text file with what participants have to agree to before they start.
        language: Language of the page's own words: en, de, es, fr or nl.

    In Python:
        `tell` is called with remarks. Returns the page as HTML.

    >>> from understandability.resources import resource
    >>> page = ask(str(resource("samples")), title="Three leaflets")
    >>> "<h1>Three leaflets</h1>" in page
    True
    """
    check_choice("language", language, LANGUAGES)
    address, token = _address_and_token(post, token)
    read, remarks = read_study_texts(texts)
    shown = len(read) if per_participant is None else per_participant
    check_range(1, len(read), per_participant=shown)
    for remark in remarks:
        if tell is not None:
            tell(remark)
    return _page(
        read,
        title=title,
        shown=shown,
        address=address,
        token=token,
        instructions=_paragraphs(instructions),
        consent=_paragraphs(consent),
        language=language,
    )


def _address_and_token(post: str | None, token: str | None) -> tuple[str, str]:
    """Check where answers are posted; both are empty if they are saved as files."""
    if post is None:
        if token is not None:
            raise OptionError("--token is the token of the server that --post names; add --post")
        return "", ""
    if not _URL.fullmatch(post):
        raise OptionError(
            f"--post is an address such as https://answers.example.org/answers, not {post!r}"
        )
    token = token or os.environ.get(TOKEN, "")
    if not token.isascii() or not token.isprintable() or not token:
        raise OptionError(
            "the server accepts answers with its token only; give --token, as `understand serve "
            f"--answers` printed it, or set {TOKEN}"
        )
    has_path = urlsplit(post).path.strip("/")
    return post if has_path else f"{post.rstrip('/')}/answers", token


def _paragraphs(path: str | None) -> list[str]:
    """Return the paragraphs of a text file; none without a file."""
    if path is None:
        return []
    content = Path(path).read_bytes()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text; save it as plain text") from error
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", text)]
    paragraphs = [paragraph for paragraph in paragraphs if paragraph]
    if not paragraphs or len(content) > _MOST_BYTES:
        raise InputError(
            f"{path} is {'too long' if paragraphs else 'empty'}; expected a short text"
        )
    return paragraphs


def _words(language: str, shown: int, host: str) -> dict[str, str]:
    """Return the texts of the page's interface in a language; `host` is empty if answers are saved
    as files.

    The words for one text, or for posting, replace those for several texts, or for saving.
    """
    words: dict[str, str] = json.loads(resource_text("ask/words.json"))[language]
    variants = [variant for variant, applies in (("one", shown == 1), ("post", host)) if applies]
    for variant in variants:
        ending = f"_{variant}"
        words |= {n.removesuffix(ending): w for n, w in words.items() if n.endswith(ending)}
    in_script = ("number", "resume", "answered", "saved", "not_received")
    return {
        name: text if name in in_script else text.format(shown=shown, host=host)
        for name, text in words.items()
    }


def _page(
    texts: list[StudyText],
    *,
    shown: int,
    address: str,
    token: str,
    language: str,
    **values: Any,
) -> str:
    """Return the page; `values` are further values of the template."""
    from markupsafe import Markup

    host = urlsplit(address).netloc
    words = _words(language, shown, host)

    study = {
        "schema": SCHEMA,
        "digest": study_digest(texts),
        "shown": shown,
        "post": address,
        "token": token,
        "words": words,
        # Right answers are not part of the page, where anybody could look them up.
        "texts": [
            {
                "id": text.id,
                "language": text.document.language or "",
                "blocks": text.blocks,
                "questions": [
                    {"text": question.text, "choices": question.choices}
                    for question in text.questions
                ],
            }
            for text in texts
        ],
    }
    style = resource_text("report/style.css") + resource_text("ask/ask.css")
    script = resource_text("ask/ask.js")
    policy = (
        f"default-src 'none'; style-src {digest_source(style)}; script-src "
        f"{digest_source(script)}; connect-src {address or _NONE}; "
        "base-uri 'none'; form-action 'none'"
    )
    # Without a < nothing in the data ends its element.
    data = json.dumps(study, ensure_ascii=False).replace("<", "\\u003c")
    return template_of("ask.html.jinja").render(
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        study=Markup(data.encode("utf-8", "replace").decode()),
        language=language,
        words=words,
        post=address,
        most_characters=MOST_CHARACTERS,
        **values,
    )
