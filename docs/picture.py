"""The picture of the README: `python docs/picture.py` runs the demo and writes what it printed to `docs/demo.svg`."""

import io
import os
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).with_name("demo.svg")
_WIDTH = 93
_COMMAND = "python -m timeoutkit demo"
_THEME = TerminalTheme(
    (22, 27, 34),
    (201, 209, 217),
    [(72, 79, 88), (255, 123, 114), (126, 231, 135), (227, 179, 65),
     (121, 192, 255), (210, 168, 255), (118, 212, 230), (201, 209, 217)],
)  # fmt: skip
# rich's own frame, without the fonts that it would load from elsewhere and without the buttons of a window
_FRAME = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>What python -m timeoutkit demo prints</title>
<style>
.{unique_id}-matrix {{
  font: {char_height}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  white-space: pre;
}}
{styles}
</style>
<defs>{lines}</defs>
<rect width="{width}" height="{height}" rx="8" fill="#161b22"/>
<g transform="translate({terminal_x}, 24)">
{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g>
</g>
</svg>
"""


def demo() -> str:
    """Run the demo as a terminal of that width would, and give what it printed, with its colours."""
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(_WIDTH)}
    command = [sys.executable, *_COMMAND.split()[1:]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def picture(printed: str) -> str:
    """Draw what was printed, the command above it."""
    console = Console(record=True, width=_WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "green"), (_COMMAND, "bold")))
    console.print(Text.from_ansi(printed.rstrip()), soft_wrap=True)
    return console.export_svg(theme=_THEME, code_format=_FRAME, unique_id="demo")


if __name__ == "__main__":
    PICTURE.write_text(picture(demo()))
