"""Texts of the panel in tests/panel for the notebooks: real kinds of texts, in the order of judges.

72 texts, written for the project or in the public domain, which two judges put in order for a
member of the public; `rank` is their mean, 1 the easiest.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from html import escape
from pathlib import Path

from understandability.text.page import Page

PANEL = Path(__file__).parents[1] / "tests" / "panel"
# What somebody would search for -> the texts that are about it, by the beginning of their names.
TOPICS = {
    "high blood pressure": ("blood_pressure", "hypertension", "chlortalidone", "heart"),
    "vaccination": ("vaccin",),
    "knee replacement": ("new_knee", "knee", "arthroplasty"),
    "metformin": ("metformin", "ampk"),
    "black hole": ("black_hole",),
    "inflation prices": ("inflation", "pocket_money", "monetary"),
    "renting tenant landlord": ("letter_to_landlord", "renting", "residential", "tenancy"),
    "privacy data": ("reading_app", "streaming_privacy", "data_regulation"),
}
MENU = "<ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About us</a></ul>"
FOOT = "<div><a href=/terms>Terms of use</a> | <a href=/contact>Contact</a> | Sitemap</div>"


@dataclass(frozen=True)
class Text:
    """A text of the panel: its name, its kind, its topic ('' for none) and its rank."""

    name: str
    kind: str
    topic: str
    rank: float
    text: str


def texts() -> list[Text]:
    """All texts, the easiest first."""
    with (PANEL / "panel.tsv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [
        Text(
            row["file"].removesuffix(".txt"),
            row["kind"],
            next((topic for topic, names in TOPICS.items() if row["file"].startswith(names)), ""),
            float(row["rank"]),
            (PANEL / row["file"]).read_text("utf-8"),
        )
        for row in rows
    ]


def page(text: Text) -> Page:
    """The text as a page of a site: with a menu above and links below."""
    title = text.name.replace("_", " ").capitalize()
    paragraphs = "".join(f"<p>{escape(part)}</p>" for part in text.text.split("\n\n"))
    html = (
        f"<html lang=en><head><title>{title}</title></head><body>{MENU}<main><h1>{title}</h1>"
        f"{paragraphs}</main>{FOOT}</body>"
    )
    return Page(text.name, f"{text.name}.html", html.encode())
