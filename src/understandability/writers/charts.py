"""Draw charts as SVG, each with a title and a description for people who cannot see it.

Colours are CSS variables, which reports set, with a fallback for notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from understandability.training.agreement import TextAgreement
from understandability.wording import counted
from understandability.writers.levels import Reference

_LEAST_FOR_QUARTILES = 10  # values
_INK, _ACCENT, _SOFT = "var(--ink, #222)", "var(--accent, #0b62a8)", "var(--soft, #9db6c9)"
# Letters over a line are readable on paper of their own.
_HALO = "paint-order:stroke;stroke:var(--paper, #fff);stroke-width:5px"
_WIDTH = 400.0  # close to the width of a phone, so that letters stay legible
_MARGIN = 20.0


def _svg(height: float, title: str, description: str, parts: Sequence[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH:g} {height:g}" '
            f'role="img" font-family="sans-serif" font-size="13" fill="{_INK}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            *parts,
            "</svg>",
        ]
    )


def _text(x: float, y: float, text: str, anchor: str = "middle", style: str = "") -> str:
    attributes = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" style="{style}"'
    return f"<text {attributes}>{escape(text)}</text>"


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1.0) -> str:
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width:g}"/>'


def _box(x: float, y: float, width: float, height: float, colour: str) -> str:
    size = f'width="{max(width, 0.5):.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{colour}"/>'


def _between(value: float, low: float, high: float) -> float:
    """Return the x coordinate of a value, clamped to the ends of the chart."""
    share = (min(max(value, low), high) - low) / (high - low)
    return _MARGIN + (_WIDTH - 2 * _MARGIN) * share


def _numbers(values: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    data = np.asarray(values, dtype=np.float64).ravel()
    return data[~np.isnan(data)]


def scale_chart(
    difficulty: float, spread: float, threshold: float, references: Sequence[Reference]
) -> str:
    """Draw a page on the scale of difficulty from 0 to 100, next to typical texts.

    `spread` is the standard error of `difficulty` (NaN: not shown); each reference is drawn from
    its lower to its upper quartile.

    >>> posts = Reference("posts", tuple(range(5, 100, 5)))
    >>> "difficulty 25" in scale_chart(25.0, 8.0, 40.0, [posts])
    True
    """
    scaled, axis = partial(_between, low=0.0, high=100.0), 64.0
    parts = [_line(scaled(0), axis, scaled(100), axis, _INK)]
    for tick in range(0, 101, 20):
        parts += [_line(scaled(tick), axis, scaled(tick), axis + 5, _INK)]
        parts += [_text(scaled(tick), axis + 20, str(tick))]
    parts += [_text(scaled(0), axis + 36, "very easy", "start")]
    parts += [_text(scaled(100), axis + 36, "very hard", "end")]
    parts += [_line(scaled(threshold), 40, scaled(threshold), axis + 5, _INK, 1.5)]
    parts += [_text(scaled(threshold), 34, f"reader's limit {threshold:g}")]
    if not np.isnan(spread):
        low, high = scaled(difficulty - spread), scaled(difficulty + spread)
        parts.append(_box(low, axis - 7, high - low, 14, _SOFT))
    parts.append(f'<circle cx="{scaled(difficulty):.1f}" cy="{axis}" r="7" fill="{_ACCENT}"/>')
    anchor = "start" if difficulty < 15 else "end" if difficulty > 85 else "middle"
    parts.append(
        _text(scaled(difficulty), 14, f"this text {difficulty:.0f}", anchor, "font-weight:bold")
    )
    y = axis + 58
    said = [f"This page has difficulty {difficulty:.0f}; the reader's limit is {threshold:g}."]
    for reference in references:
        low, middle, high = map(scaled, reference.quartiles)
        parts.append(_box(low, y - 9, high - low, 10, _SOFT))
        parts.append(_line(middle, y - 12, middle, y + 4, _INK, 2))
        if low > _WIDTH / 2:
            parts.append(_text(low - 6, y, reference.name, "end"))
        else:
            parts.append(_text(high + 6, y, reference.name, "start"))
        first, _, last = reference.quartiles
        said.append(f"The middle half of {reference.name} has {first:.0f} to {last:.0f}.")
        y += 22
    return _svg(y, "Difficulty on a scale from 0 to 100", " ".join(said), parts)


def grade_chart(grades: Sequence[tuple[str, float]], limit: float) -> str:
    """Draw formulas in US grades as bars, with a line at the highest grade that guides recommend.

    >>> "SMOG: 9.5." in grade_chart([("SMOG", 9.5)], 8.0)
    True
    """
    most = max([16.0, *(grade for _, grade in grades if not np.isnan(grade))])
    scaled, y = partial(_between, low=0.0, high=most), 46.0
    bars, labels, said = [], [], [f"Guides recommend grade {limit:g} at most."]
    for name, grade in grades:
        is_known = not np.isnan(grade)
        label = f"{grade:.1f}" if is_known else "not known"
        if is_known:
            bars.append(_box(_MARGIN, y, scaled(grade) - _MARGIN, 12, _SOFT))
        labels.append(_text(_MARGIN, y - 4, f"{name} {label}", "start", _HALO))
        said.append(f"{name}: {label}.")
        y += 38
    line = _line(scaled(limit), 18, scaled(limit), y - 22, _ACCENT, 2)
    parts = [*bars, line, _text(scaled(limit), 13, f"grade {limit:g}"), *labels]
    return _svg(y - 18, "Readability formulas in US grades", " ".join(said), parts)


def agreement_chart(texts: Sequence[TextAgreement]) -> str:
    """P(U|d) of each text against the share of participants who understood, with 95 % intervals.

    Texts on the diagonal agree. Texts without an estimate or without answers are left out.

    >>> text = TextAgreement("flu", 10, 8, (0.49, 0.94), 0.9, 30.0, 0.8, 3.0, 40.0)
    >>> "flu: 8 of 10 understood (49 to 94 %), P(U|d) 90 %." in agreement_chart([text])
    True
    """
    left, top, size = 46.0, 30.0, 320.0

    def x_of(share: float) -> float:
        return left + size * share

    def y_of(share: float) -> float:
        return top + size * (1 - share)

    parts = [_text(left, 16, "share who understood, %", "start")]
    for percent in range(0, 101, 20):
        share = percent / 100
        parts += [_line(x_of(share), y_of(0), x_of(share), y_of(1), _SOFT, 0.5)]
        parts += [_line(x_of(0), y_of(share), x_of(1), y_of(share), _SOFT, 0.5)]
        parts += [_text(x_of(share), y_of(0) + 18, str(percent))]
        parts += [_text(left - 6, y_of(share) + 5, str(percent), "end")]
    parts.append(_text(left + size / 2, y_of(0) + 38, "P(U|d), %"))
    parts.append(_line(x_of(0), y_of(0), x_of(1), y_of(1), _INK))
    said = ["On the diagonal, P(U|d) is the share of participants who understood."]
    for text in texts:
        if not text.participants or np.isnan(text.p_understandable):
            continue
        low, high = text.interval
        x = x_of(text.p_understandable)
        sentence = (
            f"{text.text}: {text.understood} of {text.participants} understood ({100 * low:.0f} to "
            f"{100 * high:.0f} %), P(U|d) {100 * text.p_understandable:.0f} %."
        )
        circle = f'<circle cx="{x:.1f}" cy="{y_of(text.share):.1f}" r="5" fill="{_ACCENT}"/>'
        interval = _line(x, y_of(low), x, y_of(high), _ACCENT, 1.5)
        parts.append(f"<g><title>{escape(sentence)}</title>{interval}{circle}</g>")
        said.append(sentence)
    title = "P(U|d) and the share of participants who understood"
    return _svg(y_of(0) + 46, title, " ".join(said), parts)


def standalone(svg: str) -> str:
    """Return a chart as a file of its own: its colours need no page, and its paper is white.

    >>> standalone('<svg viewBox="0 0 1 1"><g fill="var(--ink, #222)"/></svg>')
    '<svg viewBox="0 0 1 1"><rect width="100%" height="100%" fill="#fff"/><g fill="#222"/></svg>'
    """
    coloured = re.sub(r"var\(--\w+, (#\w+)\)", r"\1", svg)
    head, end, rest = coloured.partition(">")
    return f'{head}{end}<rect width="100%" height="100%" fill="#fff"/>{rest}'


def histogram(
    values: ArrayLike, title: str, *, low: float = 0.0, high: float = 100.0, bins: int = 20
) -> str:
    """Draw a histogram of the values in `bins` equal intervals from `low` to `high`, as SVG.

    >>> "11 values; quartiles 12.5, 15, 17.5." in histogram(range(10, 21), "Difficulty")
    True
    """
    data = _numbers(values)
    counts, edges = np.histogram(np.clip(data, low, high), bins, (low, high))
    step = (_WIDTH - 2 * _MARGIN) / bins
    top, bottom = 40.0, 180.0
    most = max(int(counts.max(initial=0)), 1)
    parts = [_text(_WIDTH / 2, 14, title, style="font-weight:bold")]
    for index, count in enumerate(counts.tolist()):
        height = (bottom - top) * count / most
        parts.append(_box(_MARGIN + index * step, bottom - height, step - 1, height, _ACCENT))
    parts.append(_line(_MARGIN, bottom, _WIDTH - _MARGIN, bottom, _INK))
    for index in range(0, bins + 1, max(bins // 5, 1)):
        parts.append(_text(_MARGIN + index * step, bottom + 18, f"{edges[index]:g}"))
    parts.append(_text(_MARGIN, top - 6, f"{most}", "start"))
    said = f"{counted(len(data), 'value')}."
    if len(data) >= _LEAST_FOR_QUARTILES:
        quartiles = ", ".join(f"{q:.3g}" for q in np.percentile(data, [25, 50, 75]))
        said = f"{len(data)} values; quartiles {quartiles}."
    return _svg(bottom + 26, title, said, parts)


def box_plot(groups: Sequence[tuple[str, ArrayLike]], title: str) -> str:
    """Draw the quartiles of each group of values, with whiskers from the 5th to the 95th
    percentile.

    >>> box_plot([("posts", [1, 2, 3])], "Words").startswith("<svg")
    True
    """
    clean = [(name, _numbers(values)) for name, values in groups]
    ends = [np.percentile(values, [5, 95]) for _, values in clean if len(values)]
    low, high = (np.min(ends), np.max(ends)) if ends else (0.0, 1.0)
    span = (high - low) or 1.0
    scaled = partial(_between, low=low, high=low + span)
    parts = [_text(_WIDTH / 2, 14, title, style="font-weight:bold")]
    said = []
    y = 54.0
    for name, values in clean:
        parts.append(_text(_MARGIN, y - 14, name, "start"))
        if len(values):
            p5, q1, q2, q3, p95 = (float(q) for q in np.percentile(values, [5, 25, 50, 75, 95]))
            parts.append(_line(scaled(p5), y, scaled(p95), y, _INK))
            parts.append(_box(scaled(q1), y - 7, scaled(q3) - scaled(q1), 14, _SOFT))
            parts.append(_line(scaled(q2), y - 8, scaled(q2), y + 8, _INK, 2))
            said.append(f"{name}: median {q2:.3g}, middle half {q1:.3g} to {q3:.3g}.")
        y += 44
    y -= 24
    parts.append(_line(_MARGIN, y, _WIDTH - _MARGIN, y, _INK))
    for fraction, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        value = low + span * fraction
        label = f"{value:.0f}" if span > 10 else f"{value:.2g}"
        parts.append(_text(scaled(value), y + 18, label, anchor))
    return _svg(y + 26, title, " ".join(said), parts)
