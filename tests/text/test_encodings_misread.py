"""Encodings and front matter that public bug reports found misread: each with its siblings."""

import json
from pathlib import Path

import pytest

import understandability as ud
from understandability.text.analysis import document_of_page
from understandability.text.decoding import decode
from understandability.text.page import Page
from understandability.text.parsed import parse_page

UTF8 = "<p>Die Ärztin sagt: „Bleiben Sie zu Hause.“ Грипп — это инфекция."
RUSSIAN = "<p>Грипп это инфекция. Пейте больше воды."


@pytest.mark.parametrize(
    "meta",
    [
        '<meta property=og:url content="https://a.org/?charset=gbk">',
        "<meta name=description content='charset=koi8-r is old'>",
        '<meta http-equiv=refresh content="0; url=/?charset=big5">',
        "<meta name='viewport' content='width=1; charset=shift_jis'>",
        '<meta data-charset="euc-kr" content=x>',
        '<meta itemprop=charset content="windows-1251">',
        "<!-- <meta charset=gbk> -->",
        "<script>var tag = '<meta charset=gbk>';</script>",
        "<style>/* <meta charset=big5> */</style>",
        "<title>How to write <meta charset=gbk></title>",
        "<TEXTAREA><meta charset=euc-kr></TEXTAREA>",
    ],
)
def test_only_a_declaration_of_the_encoding_counts(meta: str) -> None:
    assert decode((meta + UTF8).encode()).encoding == "utf-8"
    assert decode((meta + "<meta charset=koi8-r>" + RUSSIAN).encode("koi8-r")).encoding == "koi8-r"


@pytest.mark.parametrize(
    "meta",
    [
        "<meta charset=windows-1251>",
        "<META CHARSET='cp1251' >",
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
        "<meta content='text/html;charset=windows-1251' http-equiv=content-type>",
        "<meta\nname=x\ncharset = windows-1251 />",
    ],
)
@pytest.mark.parametrize(
    "before",
    [
        "",
        f"<!-- {'a ' * 1000}-->",
        f"<!-- {'б' * 70_00}--><title>x</title>",
        f"<script>{'var x;' * 400}</script>",
        "".join(f'<link rel=stylesheet href="/style{n}.css">' for n in range(60)),
    ],
)
def test_a_declaration_that_comes_late_counts(meta: str, before: str) -> None:
    page = f"<html><head>{before}{meta}</head><body>{RUSSIAN}"
    decoded = decode(page.encode("cp1251"))
    assert decoded.encoding == "windows-1251"
    assert decoded.text.endswith(RUSSIAN)


@pytest.mark.parametrize("label", ["windows-1252", "latin-1", "iso-8859-1", "us-ascii", "cp1251"])
@pytest.mark.parametrize("text", [UTF8, "<p>naïve", "<p>don’t", "<p>फ्लू", "<p>日本語"])
def test_utf8_under_a_wrong_label(label: str, text: str) -> None:
    content = text.encode()
    assert decode(content, label).encoding == "utf-8"
    assert decode(f"<meta charset={label}>".encode() + content).text.endswith(text)
    cut = decode("é".encode() + content + "é".encode()[:1])
    assert cut.encoding == "utf-8"


@pytest.mark.parametrize("label", ["gbk", "gb18030", "big5", "shift_jis", "euc-jp", "euc-kr"])
@pytest.mark.parametrize("text", [UTF8, "<p>Die Ärztin sagt: „Bleiben Sie zu Hause.“"])
def test_utf8_under_the_label_of_an_encoding_of_several_bytes(label: str, text: str) -> None:
    assert decode(text.encode(), label).text == text
    meta = f"<meta charset={label}>"
    assert decode((meta + text).encode()).encoding == "utf-8"


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("gbk", "联通公司说您应该在家休息多喝水"),
        ("big5", "您應該在家休息並多喝水"),
        ("shift_jis", "水をたくさん飲んで休んでください"),
        ("euc-kr", "집에서 쉬고 물을 많이 드세요"),
    ],
)
def test_encodings_of_several_bytes(label: str, text: str) -> None:
    assert decode(text.encode(label), label).text == text
    assert decode(f"<meta charset={label}>{text}".encode(label)).text.endswith(text)


def test_text_in_the_encoding_of_its_label() -> None:
    assert decode("<p>naïve".encode("cp1252"), "windows-1252").text == "<p>naïve"
    assert decode(b"<p>plain", "windows-1252").encoding == "windows-1252"
    assert decode("<p>联通".encode("gbk"), "gbk").text == "<p>联通"


TEXT = "The flu is an infection of the nose and throat. Most people get well in a week."
MATTER = [
    "---\nlayout: post\ntitle: On flu\n---\n",
    "---\r\nlayout: post\r\n---\r\n",
    "---\ntags:\n  - flu\n  - colds\n# a comment\n\ndate: 2020-01-01\n---\n",
    '---\n"title": "Health: flu"\n...\n',
    "---\n---\n",
]


@pytest.mark.parametrize("matter", MATTER)
def test_front_matter_is_not_read(matter: str, tmp_path: Path) -> None:
    for name, content in (("a.html", f"<p>{TEXT}</p>"), ("a.md", TEXT), ("a.markdown", TEXT)):
        (tmp_path / name).write_text(matter + content, newline="")
        (tmp_path / f"b{name}").write_text(content)
        paths = [tmp_path / f"{first}{name}" for first in ("", "b")]
        rows = ud.score(paths).to_arrow().to_pylist()
        assert rows[0]["difficulty"] == rows[1]["difficulty"]


@pytest.mark.parametrize(
    "start", ["---<p>", "--- a rule\n<p>", "---\n<p>x</p>\n---\n<p>", "---\n\n"]
)
def test_what_is_no_front_matter_stays(start: str) -> None:
    text = parse_page(Page("d", "", f"{start}{TEXT}")).tape.long_texts(1, 9999, frozenset())
    assert "---" in text


MARKDOWN = {
    "script": "<script>\nvar x = 'The heart is a pump.';\n</script>",
    "style": "<style type='text/css'>\n.flu { color: red; }\n</style>",
    "fence": "```python\nfor x in range(10): print('The flu is bad.')\n```",
    "tilde": "~~~\nls -la /home\n~~~",
    "comment": "<!-- The flu is an infection that nobody should see. -->",
    "indented": "    def flu(): return 1",
    "pre": "<pre class=x>\nls -la /home\n\nThe heart is a pump.\n</pre>",
    "code element": "<code>The heart is a pump.</code>",
    "listing": "<PRE><CODE>for x in y: print(x)</CODE></PRE>",
    "drawing": "<svg><text>The heart is a pump.</text></svg>",
    "formula": "$$\nx = y + the\n$$",
    "liquid": "{% highlight ruby %}\nputs 'The heart is a pump.'\n{% endhighlight %}",
    "upper": "<SCRIPT src=x>alert('The flu.')</SCRIPT>",
}


@pytest.mark.parametrize("name", MARKDOWN)
def test_code_in_markdown_is_not_read_by_any_command(name: str, tmp_path: Path, understand) -> None:
    paths = tmp_path / "a.md", tmp_path / "plain.md"
    paths[0].write_text(f"# Flu\n\n{TEXT}\n\n{MARKDOWN[name]}\n\n{TEXT}\n")
    paths[1].write_text(f"# Flu\n\n{TEXT}\n\n{TEXT}\n")
    table = ud.score(paths).to_arrow().to_pylist()
    values = {round(row["p_understandable"], 6) for row in table}
    assert len(values) == 1
    texts = [understand("extract", path).stdout.replace(path.name, "") for path in paths]
    assert texts[0] == texts[1]
    explanations = [ud.explain(path) for path in paths]
    assert {round(page.estimate.p_understandable, 6) for page in explanations} == values
    checked = json.loads(understand("check", paths[0], "--aim", "0", "--format", "json").stdout)
    assert round(checked["files"][0]["p_understandable"], 4) == round(values.pop(), 4)


def test_tags_that_markdown_is_about_hide_no_text() -> None:
    content = f"Use `<pre>` here. {TEXT}\n\nThen write `</pre>` there."
    pieces = document_of_page(Page("d", "d.md", content, "text/markdown")).pieces
    assert "infection" in pieces


def test_a_document_of_markdown() -> None:
    page = Page("d", "d.md", f"{MATTER[0]}See [the guide](/x) for `flu`.", "text/markdown")
    assert document_of_page(page).pieces == ("See", "the", "guide", "for", ".")
