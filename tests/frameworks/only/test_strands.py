"""Tools that give Strands' own result."""

from matrix.here import call

from timeoutkit import sane_timeout


def test_the_framework_s_own_result():
    """A tool that gives a status and content blocks has the note in a block, where the model reads it."""

    @sane_timeout
    def run_shell(command: str, timeout: int | None = None) -> dict:
        return {"status": "success", "content": [{"text": "ran"}]}

    _, text = call(run_shell, timeout=90000)
    assert text.startswith("ran\n[timeoutkit]")
