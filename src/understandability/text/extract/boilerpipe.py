"""Boilerpipe's ArticleExtractor: find the text by word counts and link shares of neighbouring
blocks.

Kohlschütter, Fankhauser & Nejdl (2010), Boilerplate Detection Using Shallow Text Features, as
implemented by boilerpipe 1.2 and its port boilerpy3:

1. Split the page into blocks at every element that is not inline, and count words and linked words.
   White space sets links off. Scripts, styles, objects, options and noscript are left out.
2. Classify each block as content or not, by its own and its neighbours' numbers of words and shares
   of linked words (a decision tree).
3. Drop everything after a block that ends articles ("Post a comment"), if 60 words of full text
   precede it.
4. Fuse each content block with the block right before it, content or not.
5. Drop the rest, and fuse blocks that are at most one block apart.
6. Keep the fused block with the most words, and everything between the title and it.

We walk the tree of the page, boilerpy3 its source, so results differ where markup is broken. In
Java, ``<br>`` and ``<br/>`` both end a block. boilerpy3 ignores ``<br/>`` and joins the words on
either side. On a page that mostly writes ``<br/>``, we end no block at empty elements, as boilerpy3
does, but treat them as white space. (The tree does not distinguish the two forms.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from understandability import _core
from understandability._core.layout import BoilerpipeAction as Action
from understandability.text.document import Block
from understandability.text.parsed import ParsedPage
from understandability.text.tape import names, text_of_unparsed

# Reasons, as they are reported.
WORDY = "enough words, few links"
BEFORE = "stands before text"
TITLED = "between title and text"
SPARSE = "few words or many links"
AFTER_END = "after the end of the article"
APART = "apart from the main text"

_INLINE = names("strike u b i em strong span sup code tt sub var font")
_SPACED = frozenset({"abbr", "acronym"})
_VOID = names("area br embed hr img input link meta wbr")
_OPENING_ACTIONS = {
    **dict.fromkeys(("script", "style", "option"), Action.SKIP),  # these hold text alone
    **dict.fromkeys(("object", "applet", "noscript"), Action.IGNORE),
    **dict.fromkeys(("iframe", "noembed", "noframes"), Action.UNPARSED),
}

# A token is a run of these; a word is a token with a letter or digit. (As boilerpy3 has it.)
_TOKEN = re.compile(r"[\w\"'.,!@\-:;$?()/]+")
_IN_WORD = re.compile(r"[^\W_]")
# Marks that neither separate words nor form one.
_MARKS = "_\"'.,!@-:;$?()/"

# Phrases that end articles, and a substring of each, which is faster to search.
_END_OF_ARTICLE = re.compile(
    r"""comments | \d+(?:\ comments|\ users\ responded\ in) | \ reuters | please\ rate\ this
    | post\ a\ comment | thanks\ for\ your\ comments\ -\ this\ feedback\ is\ now\ closed\Z
    | .*(?:what\ you\ think\.\.\. | add\ (?:your\ )?comment | reader\ views | have\ your\ say
          | reader\ comments | rtta\ artikeln)""",
    re.VERBOSE,
)
_END_HINTS = (
    "comment",
    "users responded in",
    "please rate this",
    "what you think...",
    "reader views",
    "have your say",
    "rtta artikeln",
)
_MIN_WORDS_BEFORE_END = 60

_TITLE_SEPARATORS = [
    re.compile(rf" *[{characters}] *") for characters in ("|:", "|:()", "|:()-", "|,:()-")
]


def boilerpipe(parsed: ParsedPage) -> tuple[Block, ...]:
    """Return the blocks of a page; those of its main text are kept."""
    texts, words, linked, elements = _blocks(parsed)
    by_rule = _content(words, linked)
    content = _until_end(by_rule, texts, words)
    main, first = _main_text(_fuse(content), words, _titled(texts, parsed.title))
    reasons = [
        (TITLED if index < first else WORDY if content[index] else BEFORE)
        if is_main
        else (APART if content[index] else AFTER_END if by_rule[index] else SPARSE)
        for index, is_main in enumerate(main)
    ]
    return tuple(map(Block._make, zip(texts, elements, main, reasons, strict=True)))


def _blocks(parsed: ParsedPage) -> tuple[list[str], list[int], list[int], list[str]]:
    """Return four lists over the page's blocks: text, number of words, of linked words, and
    element.

    Blocks without a token are left out.
    """
    actions = {tag: _action(tag, parsed.closes_void_elements) for tag in parsed.tags}
    title = -1 if parsed.title_index is None else parsed.title_index
    texts, words, linked, elements = _core.boilerpipe_walk(
        parsed.tape, actions, text_of_unparsed, _MARKS, title
    )
    if 0 in words:
        with_token = [
            index for index, text in enumerate(texts) if words[index] or _TOKEN.search(text)
        ]
        texts = [texts[index] for index in with_token]
        elements = [elements[index] for index in with_token]
        words = [words[index] for index in with_token]
        linked = [linked[index] for index in with_token]
    return texts, words, linked, elements


def _action(tag: str, closes_void_elements: bool) -> int:
    name = tag.strip("/")
    if name in _INLINE:
        return Action.NOTHING
    if name in _SPACED or (name in _VOID and closes_void_elements):
        return Action.SPACE
    if name == "a":
        return Action.LINK if tag == "a" else Action.END_LINK
    if tag[0] == "/":
        return Action.END_IGNORED if _OPENING_ACTIONS.get(name) == Action.IGNORE else Action.CLOSE
    return Action.EMPTY if tag[-1] == "/" else _OPENING_ACTIONS.get(name, Action.OPEN)


def _content(words: Sequence[int], linked: Sequence[int]) -> list[bool]:
    """Return a mask of the blocks that are content, by the decision tree of
    NumWordsRulesClassifier.
    """
    content = []
    words_before, density_before = 0, 0.0
    for number, in_links, words_after in zip(words, linked, [*words[1:], 0], strict=False):
        density = in_links / number if number else 0.0
        if density > 0.333333:
            content.append(False)
        elif density_before > 0.555556:
            content.append(number > 40 or words_after > 17)
        else:
            content.append(number > 16 or words_after > 15 or words_before > 4)
        words_before, density_before = number, density
    return content


def _until_end(content: list[bool], texts: Sequence[str], words: Sequence[int]) -> list[bool]:
    """Return the mask `content` with False for all blocks after the end of the article, if it is
    found.

    A block such as "Post a comment" ends the article.
    """
    whole = "\n".join(texts).lower()
    lines = whole.split("\n")
    hinted = {
        index
        for hint in _END_HINTS
        if hint in whole
        for index, line in enumerate(lines)
        if hint in line
    }
    before, counted = 0, 0
    for index in sorted(hinted):
        if words[index] >= 15 or len(texts[index]) < 8 or not _END_OF_ARTICLE.match(lines[index]):
            continue
        before += sum(
            words[earlier]
            for earlier in range(counted, index + 1)
            if content[earlier] and _is_full_text(texts[earlier])
        )
        counted = index + 1
        if before >= _MIN_WORDS_BEFORE_END:
            return content[:index] + [False] * (len(content) - index)
    return content


def _is_full_text(text: str) -> bool:
    """Return True if lines of 80 characters would hold nine words or more on average."""
    lines, on_line, length, words = 0, 0, -1, 0
    for token in _TOKEN.findall(text):
        if _IN_WORD.search(token):
            words += 1
            on_line += 1
            length += len(token) + 1
            if length > 80:
                lines += 1
                on_line = 1
                length = len(token)
    return (words - on_line) / lines >= 9 if lines else words >= 9


def _titled(texts: Sequence[str], title: str) -> set[int]:
    """Return the indexes of the blocks that repeat the title of the page."""
    titles = _titles(title)
    lengths = {len(form) for form in titles}
    return {
        index for index, text in enumerate(texts) if len(text) in lengths and text.lower() in titles
    }


def _titles(title: str) -> set[str]:
    """Return the forms in which a page's title may be repeated as its heading, in lower case.

    >>> sorted(_titles("Flu (influenza) - Health A to Z"))
    ['- health a to z', 'flu (influenza) - health a to z', 'health a to z']
    """
    titles = {title}
    for separators in _TITLE_SEPARATORS:
        most_words, longest = 0, ""
        for part in separators.split(title):
            words = len(re.findall(r"\w+", part))
            if ".com" not in part and (words > most_words or len(part) > len(longest)):
                most_words, longest = words, part
        titles.add(longest.strip())
    return {form.lower() for form in titles if form}


def _fuse(content: Sequence[bool]) -> list[list[int]]:
    """Group blocks: each group joins content blocks that are at most one block apart.

    The block before a run of content blocks belongs to the group, too.
    """
    groups: list[list[int]] = []
    for index, is_content in enumerate(content):
        if not is_content:
            continue
        run = [index - 1, index] if index and not content[index - 1] else [index]
        if groups and run[0] - groups[-1][-1] <= 2:
            groups[-1].extend(run)
        else:
            groups.append(run)
    return groups


def _main_text(
    groups: Sequence[list[int]], words: Sequence[int], titled: set[int]
) -> tuple[list[bool], int]:
    """Return a mask of the main text, and the index of the first block of the largest group.

    The main text is the largest group and everything between the last title before it and the
    group.
    """
    main = [False] * len(words)
    if not groups:
        return main, 0
    sizes = [sum(words[index] for index in group) for group in groups]
    largest = sizes.index(max(sizes))
    start = largest
    for number in range(largest + 1):
        if titled.intersection(groups[number]):
            start = number
    for group in groups[start : largest + 1]:
        for index in group:
            main[index] = True
    return main, groups[largest][0]
