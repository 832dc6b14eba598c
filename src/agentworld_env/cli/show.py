"""``agentworld-env show``: one task, and one role as its agent is told it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from agentworld_env.tasks import Task


def show(
    task: Annotated[str, typer.Argument(help="Id of a task, or the path of a task file.")],
    role: Annotated[
        str | None, typer.Option(help="Role whose guide and first observation are shown.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first observation.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show a task: its team, its goal, one role's guide and first observation."""
    from agentworld_env.cli import output
    from agentworld_env.variants import resolve

    facts = _facts(resolve(task), role, seed)
    if json:
        output.data(facts)
        return
    output.prose(f"{facts['id']}: {facts['title']} ({facts['category']}, {facts['max_rounds']} rounds)")
    output.prose(facts["objective"])
    output.line("\nTeam:")
    for name, about in facts["team"].items():
        output.prose(f"  {name} ({about['group']}): {about['about']}")
    output.line("\nCheckpoints:")
    for label in facts["checkpoints"]:
        output.prose(f"  [ ] {label}")
    for label in facts["constraints"]:
        output.prose(f"  [!] {label}")
    shown = facts["role"]
    output.line(f"\n{shown['name']} is told:\n")
    output.prose(shown["guide"])
    output.line(f"\n{shown['name']} first observes (seed {seed}):\n")
    output.prose(shown["observation"])


def _facts(task: Task, role: str | None, seed: int) -> dict[str, Any]:
    from agentworld_env.env import AgentWorldEnv

    name = task.team[0] if role is None else role
    guide = task.guide(name)  # refuses a role that the team does not have
    env = AgentWorldEnv(task)
    env.reset(seed=seed)
    verdict = env.verdict()
    return {
        "id": task.id,
        "title": task.spec.title,
        "category": task.spec.category,
        "suite": task.spec.suite,
        "max_rounds": task.spec.max_rounds,
        "objective": task.objective.strip(),
        "team": {
            agent: {
                "group": member.group,
                "about": member.about.strip(),
                "start": list(member.start),
                "skills": member.skills,
                "inventory": member.inventory,
                "worn": list(member.worn),
            }
            for agent, member in task.spec.team.items()
        },
        "checkpoints": [point.text for point in verdict.checkpoints],
        "constraints": [rule.label for rule in verdict.constraints],
        "role": {"name": name, "guide": guide, "observation": str(env.observe(name))},
    }
