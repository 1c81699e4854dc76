"""The command line: a verb a file, and the one place where errors become a line and an exit code.

Unusual here: words on the command line are data and never names of files; files come by `--file`, and what is written
goes to `--out`. Answers go to standard output and everything said along the way to standard error.
"""

import os
import shlex
import sys
import warnings
from importlib import import_module
from typing import Any

import typer

from regard.errors import RegardError, on_command_line

VERBS = ("train", "predict", "look", "align", "evaluate", "inspect", "combine", "curve", "recipes")

app = typer.Typer(
    name="regard",
    help="Learn from a table to turn text into text, and see for every output where the model looked.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> bool:
    if asked:
        from regard import __version__

        typer.echo(f"regard {__version__}")
        raise typer.Exit
    return asked


@app.callback()
def _options(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Say which version."),
) -> None: ...


for _verb in VERBS:
    import_module(f"regard.cli.{_verb}").add(app)


_Mistyped: Any = typer.BadParameter.__mro__[2]  # ClickException, of click or of the click that typer brings along


@on_command_line()
def main(arguments: list[str] | None = None) -> None:
    """Run a command and leave: 0 done, 2 a mistake that a person can mend, 130 interrupted."""
    warnings.showwarning = lambda message, *where, **more: print(f"regard: {message}", file=sys.stderr)
    try:
        code = app(args=arguments, prog_name="regard", standalone_mode=False)
        sys.stdout.flush()  # here, where a broken pipe is caught
        sys.exit(code if isinstance(code, int) else 0)
    except _Mistyped as error:
        error.show()
        if hint := _hyphen(error, sys.argv[1:] if arguments is None else arguments):
            print(hint, file=sys.stderr)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except RegardError as error:
        print(f"regard: {error}", file=sys.stderr)
        sys.exit(2)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # within a command it is typer that meets it, and leaves
            _leave_reader()
        raise
    except BrokenPipeError:
        _leave_reader()
    except OSError as error:  # no place left, no leave to write
        print(f"regard: {error.strerror or error}{f': {error.filename}' if error.filename else ''}", file=sys.stderr)
        sys.exit(2)


def _hyphen(error: Any, arguments: list[str]) -> str:
    """What to do where a text was taken for an option; "" where it is another mistake."""
    option = getattr(error, "option_name", None)  # only of an option that there is not
    if option is None or all(parameter.name != "words" for parameter in error.ctx.command.params):
        return ""
    text = next((given for given in arguments if given.startswith(option)), option)
    words = shlex.join(["regard", error.ctx.info_name, "MODEL", "--", text])
    return f"To ask for a text that begins with a hyphen, put -- before it: {words}"


def _leave_reader() -> None:
    """`regard … | head`: whoever read has enough, and that is no mistake."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)
