"""Files with the answers of one participant, as pages of `understand ask` write them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from understandability.errors import InputError, in_one_line

SCHEMA = "understandability.answers.v1"
MOST_BYTES = 1_000_000  # of one file
MOST_TEXTS = 1_000  # of one study
MOST_CHARACTERS = 2_000  # of a message in a participant's own words
_LONGEST_ID = 2_000
_MOST_CHOICES = 100
_MOST_SECONDS = 10_000_000
# Letters only: a spreadsheet would turn an id such as 12e45 into a number.
_PARTICIPANT = re.compile(r"[a-z]{12}")
_STUDY = re.compile(r"[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class TextAnswer:
    """The answer of a participant to one text.

    `position` counts the texts that the participant saw, from 1. `message` is the main message in
    the participant's own words, `choices` the index of the chosen answer to each question (None: "I
    do not know"), `sure` a number from 1 (not at all) to 4 (very) or None, and `seconds` the time
    for which the text was on the screen.
    """

    text: str
    position: int
    message: str
    choices: tuple[int | None, ...]
    sure: int | None
    seconds: int


@dataclass(frozen=True, slots=True)
class Answers:
    """All answers of one participant. `study` identifies the texts and questions."""

    study: str
    participant: str
    answers: tuple[TextAnswer, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the content of the file, which `parse_answers` reads."""
        return {"schema": SCHEMA, **asdict(self)}

    def to_text(self) -> str:
        """Return the text of the file."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"


def parse_answers(content: bytes) -> Answers:
    """Read the answers of one participant, from JSON of an untrusted source.

    Raises `InputError`, with one sentence, for anything that a page of `understand ask` would not
    write. Entries that it does not know are ignored.

    >>> page = {"schema": SCHEMA, "study": "0" * 16, "participant": "b" * 12, "answers": []}
    >>> parse_answers(json.dumps(page).encode()).participant
    'bbbbbbbbbbbb'
    """
    if len(content) > MOST_BYTES:
        raise InputError(f"the answers are longer than {MOST_BYTES / 1e6:g} MB")
    try:
        entries = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the answers are not JSON ({in_one_line(error)[:200]})") from error
    if not isinstance(entries, dict) or entries.get("schema") != SCHEMA:
        raise InputError(f"expected answers with the schema {SCHEMA}")
    study, participant, answers = (entries.get(n) for n in ("study", "participant", "answers"))
    if not isinstance(study, str) or not _STUDY.fullmatch(study):
        raise InputError("'study' must be 16 hexadecimal digits")
    if not isinstance(participant, str) or not _PARTICIPANT.fullmatch(participant):
        raise InputError("'participant' must be 12 small letters")
    if not isinstance(answers, list) or len(answers) > MOST_TEXTS:
        raise InputError(f"'answers' must be a list of at most {MOST_TEXTS:,} entries")
    parsed = tuple(_text_answer(answer, number) for number, answer in enumerate(answers, 1))
    if len({answer.text for answer in parsed}) < len(parsed):
        raise InputError("'answers' has two answers to one text")
    return Answers(study, participant, parsed)


def _text_answer(entries: Any, number: int) -> TextAnswer:
    """Check one entry of the list of answers; `number` counts from 1."""
    if not isinstance(entries, Mapping):
        raise InputError(f"answer {number} is not an object")
    choices = entries.get("choices")
    if not isinstance(choices, list) or len(choices) > _MOST_CHOICES:
        raise InputError(f"answer {number}: 'choices' must be a list of at most {_MOST_CHOICES}")
    sure = entries.get("sure")
    return TextAnswer(
        text=_string(entries, "text", number, _LONGEST_ID),
        position=_whole(entries.get("position"), "position", number, 1, MOST_TEXTS),
        message=_string(entries, "message", number, MOST_CHARACTERS),
        choices=tuple(
            None if choice is None else _whole(choice, "choices", number, 0, _MOST_CHOICES)
            for choice in choices
        ),
        sure=None if sure is None else _whole(sure, "sure", number, 1, 4),
        seconds=_whole(entries.get("seconds"), "seconds", number, 0, _MOST_SECONDS),
    )


def _string(entries: Mapping[str, Any], name: str, number: int, longest: int) -> str:
    value = entries.get(name)
    # A browser counts a character outside the basic plane as two.
    if not isinstance(value, str) or len(value) > longest:
        raise InputError(f"answer {number}: {name!r} must be a text of at most {longest:,} letters")
    # JSON may contain half a character, which no file can hold.
    return value.encode("utf-8", "replace").decode()


def _whole(value: Any, name: str, number: int, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InputError(
            f"answer {number}: {name!r} must be a whole number from {least} to {most:,}"
        )
    return value


def read_answer_files(folder: str, study: str) -> tuple[list[Answers], list[str]]:
    """Read the answers in a folder, one entry per participant, and remarks on the other files.

    A file that cannot be used becomes a remark, and the others still count. Of several files of one
    participant, the one with the most answers counts, and of equal ones the last by name.
    """
    by_participant: dict[str, tuple[Answers, str]] = {}
    remarks = []
    for path in sorted(Path(folder).iterdir(), key=lambda entry: entry.name):
        if path.name.startswith("."):  # such as .DS_Store, or a file that is being written
            continue
        where = f"{folder.rstrip('/')}/{_shown(path.name)}"
        try:
            answers = parse_answers(_content_of(path))
        except (InputError, OSError) as error:
            reason = (error.strerror if isinstance(error, OSError) else "") or error
            remarks.append(f"{where} is ignored: {reason}")
            continue
        if answers.study != study:
            remarks.append(
                f"{where} is ignored: it answers the study {answers.study}, and these texts are "
                f"the study {study}; name the table that its page was made from"
            )
            continue
        name = path.name
        if answers.participant in by_participant:
            other, other_name = by_participant[answers.participant]
            if len(other.answers) > len(answers.answers):
                answers, other, name, other_name = other, answers, other_name, name
            remarks.append(
                f"{folder.rstrip('/')}/{_shown(other_name)} is ignored: {_shown(name)} has the "
                "answers of the same participant"
            )
        by_participant[answers.participant] = (answers, name)
    return [answers for answers, _ in by_participant.values()], remarks


def _shown(name: str) -> str:
    r"""Return a file name without control characters, which could change a terminal.

    >>> _shown("a\n\x1b[2Jb.json")
    'a??[2Jb.json'
    """
    return "".join(character if character.isprintable() else "?" for character in name)


def _content_of(path: Path) -> bytes:
    """Return the content of a regular file; of a file that is too long, a byte over the limit."""
    if not path.is_file():  # reading a pipe or a device might never end
        raise InputError("it is no file")
    with path.open("rb") as file:
        return file.read(MOST_BYTES + 1)
