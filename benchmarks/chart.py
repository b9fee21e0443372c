"""The bar chart for the README, an SVG without a background, in tones that read on white and on black."""

from collections.abc import Mapping
from html import escape

_WIDTH, _ROW, _TOP, _LABELS, _VALUES = 720, 26, 34, 110, 110
_OURS, _OTHER, _TEXT = "#2f81f7", "#8b949e", "#727b86"
_STYLE = f'font-family="system-ui, sans-serif" font-size="13" fill="{_TEXT}"'


def chart(title: str, seconds: Mapping[str, float]) -> str:
    """Draw one bar for each contender, the longest cut off where it would dwarf the others."""
    ranked = sorted(seconds.items(), key=lambda item: item[1])
    longest = 10 * seconds["timeoutkit"]
    rows = [_row(number, name, value, longest) for number, (name, value) in enumerate(ranked)]
    height = _TOP + _ROW * len(rows)
    return f"""\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" {_STYLE}>
<title>{escape(title)}</title>
<text x="0" y="16" font-size="14" font-weight="600">{escape(title)}</text>
{"".join(rows)}</svg>
"""


def _row(number: int, name: str, seconds: float, longest: float) -> str:
    top = _TOP + _ROW * number
    room = _WIDTH - _LABELS - _VALUES
    length = max(1.0, room * min(seconds / longest, 1))
    colour, weight = (_OURS, "600") if name == "timeoutkit" else (_OTHER, "400")
    value = f"{seconds * 1e9:,.0f} ns" + (" →" if seconds > longest else "")
    middle = top + 15
    return (
        f'<g font-weight="{weight}"><text x="{_LABELS - 10}" y="{middle}" text-anchor="end">{escape(name)}</text>'
        f'<rect x="{_LABELS}" y="{top + 2}" width="{length:.1f}" height="18" rx="2" fill="{colour}"/>'
        f'<text x="{_LABELS + length + 8:.1f}" y="{middle}">{value}</text></g>\n'
    )
