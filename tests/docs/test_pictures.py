"""Records of pictures are the same on every processor, and change when the content does."""

from scripts.docs.pictures import record_of

ANSWER = '{"difficulty": 29.350814104084257, "words": 12, "advice": "Shorten it."}'


def test_a_seventh_digit_changes_no_record() -> None:
    other = ANSWER.replace("29.350814104084257", "29.350817")
    assert record_of(ANSWER).matches(record_of(other))


def test_a_number_beside_the_point_where_rounding_turns_changes_no_record() -> None:
    """29.35085 has six digits as 29.3508 or 29.3509, as the processor likes."""
    below, above = (
        ANSWER.replace("29.350814104084257", text) for text in ("29.350849", "29.3508501")
    )
    assert record_of(below).matches(record_of(above))


def test_another_fourth_digit_word_or_count_changes_the_record() -> None:
    record = record_of(ANSWER)
    for old, new in (
        ("29.350", "29.361"),
        ("Shorten", "Split"),
        ("12", "13"),
        (', "words"', ', "level": 3.25001, "words"'),
    ):
        assert not record.matches(record_of(ANSWER.replace(old, new)))
