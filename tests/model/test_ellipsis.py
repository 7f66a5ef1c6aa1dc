"""Sentences whose end was said before are not cut."""

import pytest

import understandability as ud


@pytest.mark.parametrize(
    ("text", "is_cut"),
    [
        ("Ask what it is. Ask who they are. See what you can. Rest well.", False),
        ("Find out how it is. Tell us where you are. Say who he was. Do what you must.", False),
        ("Can I eat? Yes, you can. Is it safe? Yes, it is. Do I pay? No, you do not.", False),
        ("She is older than you are. He eats more than I do. Ask who you live with.", False),
        (
            "Say what it is for. Tell us who you came with. Ask if it is. Know what to ask for.",
            False,
        ),
        ("Call if you are. Stop when you do. Rest until they are. Wait till it is.", False),
        ("The dose of the. Take it with. She was in the. He has a. You are of.", True),
        ("The pain is. You should. They have the. It was a. We are going to the.", True),
    ],
)
def test_cut_sentences(text: str, is_cut: bool) -> None:
    assert ("cut_sentences" in ud.score_text(text)["flags"]) == is_cut
