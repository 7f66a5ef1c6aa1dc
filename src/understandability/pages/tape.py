"""A page's markup as one flat list, the form in which all extractors read it.

A tape alternates text and tags: ``tape[0::2]`` are the texts (possibly empty), ``tape[1::2]``
the tags between them, in lower case and without attributes: ``p`` opens, ``/p`` closes and
``br/`` is an element without content. It is made in C, from the tree of one lxml parse; walking
it needs no recursion, however deep the page nests.
"""

from __future__ import annotations

import re

from lxml import etree

Tape = list[str]

_TAG = re.compile(r"<([^>]+)>")


def tape_of(root: etree._Element) -> Tape:
    """The tape of an lxml tree, whose attributes are lost on the way.

    >>> tape_of(etree.fromstring("<p class='x'>3 &lt; 4<br/>&amp;</p>"))
    ['', 'p', '3 < 4', 'br/', '&', '/p', '']
    """
    etree.strip_attributes(root, "{}*")
    markup = etree.tostring(root, encoding="unicode", with_tail=False)
    for escaped, character in (("&#13;", "\r"), ("&#xFFFD;", " "), ("&gt;", ">")):
        markup = markup.replace(escaped, character)
    if "&lt;" in markup:
        return [
            piece.replace("&lt;", "<").replace("&amp;", "&") for piece in _TAG.split(markup)
        ]
    return _TAG.split(markup.replace("&amp;", "&"))
