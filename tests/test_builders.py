"""Builders that read a function's types strictly."""

from typing import Annotated

import click
import pytest
import typer
from click.testing import CliRunner as ClickRunner
from typer.testing import CliRunner

from timeoutkit import TimeoutPolicy, sane_timeout

RUNS = [([], 120), (["--timeout", "30"], 30), (["--timeout", "90000"], 90), (["--timeout", "0"], 120)]


@pytest.mark.parametrize(("arguments", "received"), RUNS)
@pytest.mark.parametrize("bare", [True, False])
def test_a_typer_command(arguments, received, bare):
    """With `advertise="docs"` Typer builds its option from the declared type, and the call is corrected."""
    option = int if bare else Annotated[int, typer.Option(help="How long.")]

    def run_shell(command: str, timeout: option = 120) -> None:
        typer.echo(f"{command} {timeout}")

    app = typer.Typer()
    app.command()(sane_timeout(advertise="docs")(run_shell))
    done = CliRunner().invoke(app, ["ls", *arguments])
    assert (done.exit_code, done.stdout) == (0, f"ls {received}\n")
    assert CliRunner().invoke(app, ["ls", "--timeout", "soon"]).exit_code == 2


@pytest.mark.parametrize(("arguments", "received"), RUNS)
def test_a_click_command(arguments, received):
    """Click declares its own types and calls by keyword."""

    @click.command()
    @click.argument("command")
    @click.option("--timeout", type=float, default=None)
    @sane_timeout(advertise="docs")
    def run_shell(command: str, timeout: float | None) -> None:
        click.echo(f"{command} {timeout:g}")

    done = ClickRunner().invoke(run_shell, ["ls", *arguments])
    assert (done.exit_code, done.output) == (0, f"ls {received}\n")


def test_the_contract_is_in_the_help():
    """The docstring that a builder shows as help states the contract."""

    def run_shell(command: str, timeout: int = 120) -> None:
        """Run a command."""

    app = typer.Typer()
    app.command()(sane_timeout(advertise="docs")(run_shell))
    shown = " ".join(CliRunner().invoke(app, ["--help"], env={"COLUMNS": "300"}).stdout.split())
    assert TimeoutPolicy().describe() in shown
