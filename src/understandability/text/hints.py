"""What the names of a page's sections tell: menus, sidebars, comments and the like.

Authors name the parts of a page, in classes and ids, for their style sheets. Of most pages the
same few words say which parts are not the text that one came for. Names are no proof ("article
with-sidebar"): who reads them has to look at how much of the page's text a section holds.
"""

from __future__ import annotations

import re

# Elements whose names are looked at. (Those of articles tell of their subjects: "tag-diet".)
SECTIONS = ("body", "section", "header", "div", "form", "p", "ul", "ol", "table", "td")

THREAD = "thread"  # posts that answer each other are the text itself
COMMENTS = "comments"
SIDEBAR = "sidebar"
CONSENT = "cookies"

# What is in a section, by the words of its names: the first that fits. Between ";" stands a
# whole name.
_WORDS = {
    SIDEBAR: r"(?<=;)(?:side | sidebars? | widget\ area)(?=;)",
    CONSENT: r"""onetrust \w* | cookie\ (?: consent | banner | notice | law | popup ) \w*
        | cookiebot \w*""",
    THREAD: r"""comments\ page | commentarea | threads? | forum \w* | topic | questions? | answers?
        | replies | discussion | viewtopic | viewthread""",
    "hidden": r"""sr\ only | screen\ reader\ \w+ | visually\ hidden | display\ none | modal | popup
        | off\ ?canvas | print\ only | no\ ?print""",
    COMMENTS: r"comments? | commentlist | respond | disqus \w* | nocomments | reply\ title",
    "references": r"reflist | references | footnotes? | bibliography | citations?",
    "menu": r"""nav | navi | navbar | navbox \w* | navigation | menu | submenu | mainmenu | pager
        | bread\ ?crumbs? | pagination | toc | table\ of\ contents | skip\ link | toolbar
        | nav\ ?links | catlinks | editsection | jump\ link | prev\ next""",
    "footer": r"""footer | foot | colophon | contentinfo | copyright | legal | disclaimer
        | printfooter | post\ ?footer | page\ ?footer""",
    "sharing or advertising": r"""share | sharing | sharedaddy | social | follow | likes? | a2a
        | addthis \w* | addtoany | newsletter | subscribe | subscription | sign\ ?up | mailing
        | donate | donation | cta | promo \w* | banner | cookies? | consent | gdpr | advert \w*
        | ads? | sponsor \w* | adsbygoogle | dfp | outbrain | taboola | paywall | login
        | buy\ box | mc\ embed""",
    "beside the text": r"""sidebar \w* | \w+ sidebar | side | side\ ?panel | sidebars | aside
        | complementary | widget\ area | rail | right\ ?col | related \w* | \w* relatedposts
        | recommend \w* | recirc \w* | more\ stories | read\ (?: more|next ) | also | trending
        | popular | latest | teasers? | infobox | portlet | see\ also | archives?
        | relacionad[ao]s""",
    "about the text": r"""byline \w* | author \w* | meta | metadata | tags? | tag\ list | tagline
        | timestamp | date | published | entry\ footer | post\ info | credits? | hatnote
        | sitesub | caption | flat\ list | buttons? | thumbcaption | thumb""",
}
_HINT = re.compile(
    "|".join(
        rf"(?P<k{place}>(?<!\w)(?:{words})(?!\w))" for place, words in enumerate(_WORDS.values())
    ),
    re.VERBOSE,
)
_KINDS = tuple(_WORDS)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_MARKS = str.maketrans("-_:/. ", "     ;")


def kind_of(names: str) -> str:
    """What the names of a section, between spaces, tell of it; ``''`` if they tell nothing.

    >>> kind_of("col-4 siteFooter"), kind_of("comments"), kind_of("main")
    ('footer', 'comments', '')
    """
    match = _HINT.search(_CAPITAL.sub(" ", f";{names.translate(_MARKS)};").lower())
    return _KINDS[int(str(match.lastgroup)[1:])] if match else ""
