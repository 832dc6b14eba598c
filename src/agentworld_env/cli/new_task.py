"""``agentworld-env new-task``: writes a task file to start from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from agentworld_env.errors import AgentWorldError, quoted

_ID = r"[a-z0-9][a-z0-9_-]{0,47}"


def new_task(
    name: Annotated[str, typer.Argument(help="Id of the task: lower-case letters, digits, _ and -.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; NAME.yaml in this directory if not given.")
    ] = None,
    agents: Annotated[int, typer.Option(min=2, max=20, help="Size of the team.")] = 3,
) -> None:
    """Write a commented task file that certifies as it stands, to be changed step by step."""
    from agentworld_env.cli import output
    from agentworld_env.cli.folders import check_file
    from agentworld_env.tasks import list_tasks, load_task

    if not re.fullmatch(_ID, name):
        raise AgentWorldError(
            f"{quoted(name)} is no id: expected at most 48 lower-case letters, digits, _ and -, such as my_first_task"
        )
    if name in {info.id for info in list_tasks()}:
        raise AgentWorldError(f"{quoted(name)} is a task of the package; expected an id of its own")
    path = Path(f"{name}.yaml") if out is None else out
    if path.suffix not in (".yaml", ".yml"):
        raise AgentWorldError(f"{path}: expected a file name that ends in .yaml or .yml")
    try:
        if not path.exists():
            check_file(path)
            path.parent.mkdir(parents=True, exist_ok=True)
        with output.writing(path), path.open("x", encoding="utf-8") as file:
            file.write(_text(name, path, agents))
    except FileExistsError as error:
        raise AgentWorldError(f"{path} exists already; expected a file that does not") from error
    task = load_task(path)
    output.line(f"Written: {path} ({len(task.team)} agents, {task.spec.max_rounds} rounds)")
    output.line(f"Prove it sound:     agentworld-env certify {path}")
    output.line(f"See a role's view:  agentworld-env show {path} --role {task.team[0]}")
    output.line(f"Watch it solved:    agentworld-env run {path} --policy planner")
    output.line("Find keys for it:   agentworld-env world list nodes --near 388,10")


def _text(name: str, path: Path, agents: int) -> str:
    """Returns the file: some cut logs, one carves them, and with three or more agents one keeps the shafts."""
    from importlib import resources

    from jinja2 import Environment, StrictUndefined, select_autoescape

    environment = Environment(
        undefined=StrictUndefined,
        autoescape=select_autoescape(enabled_extensions=(), default=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    template = (
        resources.files("agentworld_env.cli").joinpath("templates", "new_task.yaml.j2").read_text("utf-8")
    )
    loggers = [f"logger{number}" for number in range(1, max(1, agents - 2) + 1)]
    # The grove has some dozen oaks, each of which gives again after three rounds.
    share = 2 if len(loggers) < 6 else 1
    logs = share * len(loggers)
    return environment.from_string(template).render(
        id=name,
        file=path,
        title=" ".join(re.split(r"[_-]+", name)).strip().title() or name,
        max_rounds=22 + agents,
        loggers=loggers,
        logs=logs,
        share=share,
        sticks=4 * logs,
        handed=logs,
        keeper="keeper" if agents > 2 else loggers[0],
    )
