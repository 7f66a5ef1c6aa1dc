"""Texts and pages for the notebooks: made of sentences written for this project, by chance."""

from __future__ import annotations

import random

from understandability.records import Page

# How three kinds of writers put it: level 1, 2, 3; {} is the illness.
ILLNESSES = (
    ("flu", "influenza", "influenza A virus infection"),
    ("high blood pressure", "hypertension", "essential arterial hypertension"),
    ("diabetes", "type 2 diabetes", "non-insulin-dependent diabetes mellitus"),
    ("asthma", "bronchial asthma", "chronic obstructive airway inflammation"),
    ("a sore back", "low back pain", "non-specific lumbar dorsalgia"),
)
SENTENCES = (
    (
        "I have had {} for a week now.",
        "My doctor said that I should rest.",
        "Has anyone here had {} too?",
        "It hurts a lot at night and I can not sleep.",
        "I take two pills each day and feel better.",
        "My mum told me to drink more water.",
        "What did you do when you got {}?",
        "I do not want to go back to the hospital.",
        "Thanks for any help!",
    ),
    (
        "{} is a common illness that affects many adults.",
        "Symptoms often include tiredness, pain and a raised temperature.",
        "Your doctor can diagnose {} with a physical examination.",
        "Treatment usually begins with changes in diet and exercise.",
        "Some people need medicine to control their symptoms.",
        "Ask your pharmacist about the side effects of any medicine.",
        "Most patients with {} recover within several weeks.",
        "Regular check-ups help to prevent complications.",
        "Smoking and being overweight increase the risk.",
    ),
    (
        "Participants with {} were randomised to pharmacological intervention or placebo.",
        "The primary endpoint was the adjusted hazard ratio for hospitalisation at twelve months.",
        "Multivariable regression identified significant heterogeneity between subgroups.",
        "The pathophysiology of {} involves dysregulated inflammatory signalling cascades.",
        "Concentrations of circulating biomarkers were quantified by immunoassay.",
        "No statistically significant difference in mortality was observed between cohorts.",
        "Prospective evaluation of comorbidities in {} remains methodologically challenging.",
        "Baseline demographic characteristics were comparable across treatment allocations.",
        "Adverse events necessitated discontinuation in a minority of participants.",
    ),
)


def text(level: int, chance: random.Random, illness: int | None = None, sentences: int = 9) -> str:
    """A text of one level (1 easy, 3 hard) on an illness, or on one by chance."""
    named = chance.choice(ILLNESSES) if illness is None else ILLNESSES[illness]
    chosen = chance.choices(SENTENCES[level - 1], k=sentences)
    made = [sentence.format(named[level - 1]) for sentence in chosen]
    return " ".join(sentence[0].upper() + sentence[1:] for sentence in made)


def corpus(level: int, count: int, seed: int = 0) -> list[str]:
    """Texts of one level."""
    chance = random.Random(seed * 10 + level)
    return [text(level, chance) for _ in range(count)]


def pages(count: int = 30, seed: int = 0) -> list[Page]:
    """Pages of several sites, every level and illness in turn, with what sites put around a text.

    The docno tells site, illness and level: ``forum.example/0-flu-1.html``.
    """
    chance = random.Random(seed)
    sites = ("forum.example", "clinic.example", "journal.example")
    made = []
    for number in range(count):
        level, illness = number % 3 + 1, number // 3 % len(ILLNESSES)
        name = ILLNESSES[illness][0].replace(" ", "_")
        paragraphs = "".join(f"<p>{text(level, chance, illness, 6)}</p>" for _ in range(3))
        advice = "".join(f"<li>{word}</li>" for word in ("Rest", "Drink water", "Ask a doctor"))
        html = (
            f"<html lang=en><head><title>{ILLNESSES[illness][level - 1]}</title></head><body>"
            "<ul><li><a href=/>Home</a><li><a href=/news>News</a><li><a href=/about>About</a></ul>"
            f"<h1>{ILLNESSES[illness][level - 1]}</h1>{paragraphs}<ul>{advice}</ul>"
            "<div><a href=/terms>Terms of use</a> | <a href=/contact>Contact</a></div></body>"
        )
        docno = f"{sites[level - 1]}/{number}-{name}-{level}.html"
        made.append(Page(docno, docno, html.encode()))
    return made


def level_of(docno: str) -> int:
    """The level of a page of `pages`."""
    return int(docno.removesuffix(".html").rpartition("-")[2])
