"""The policy that seats a scripted team."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentworld_env.errors import AgentWorldError, hint
from agentworld_env.policies.protocol import Assignment, Brief, Call, Decision, Turn
from agentworld_env.policies.scripted import field, work
from agentworld_env.policies.scripted.load import digest, scripted_tasks, scripts
from agentworld_env.policies.scripted.seat import Seat

_VERBS = {**work.VERBS, **field.VERBS}


class ScriptedPolicy:
    """A team of blackbox agents without a model: proof that a task can be solved by what its roles are told.

    Each agent has a seat of its own, which knows the agent's brief, its views and the messages it received, and
    nothing of the other seats. Agents talk in the fixed sentences of ``talk.py``. There are scripts for twelve tasks.
    """

    name = "scripted"
    wants_text = False

    def __init__(self) -> None:
        self._seats: dict[str, Seat] = {}

    def check(self, assignment: Assignment) -> None:
        """Makes sure that there is a script for each agent.

        Raises:
            AgentWorldError: There is none for the task, or for its agents as the setting names them.
        """
        briefs, task = assignment.briefs, assignment.task
        found: set[str] = set()
        for brief in briefs.values():
            found |= scripts().get(brief.title, {}).keys()
        if found >= briefs.keys():
            return
        if found >= set(assignment.team):
            raise AgentWorldError(
                f"the scripted policy has no script for the agents of {task!r} under the setting "
                f"{assignment.setting}: {', '.join(list(briefs)[:8])}"
            )
        raise AgentWorldError(
            f"the scripted policy has no script for the task {task!r}{hint(task, scripted_tasks())}"
        )

    def begin(self, briefs: Mapping[str, Brief], seed: int) -> None:
        """Seats the agents.

        Args:
            briefs: Agent id -> brief.
            seed: Seed of the episode; nothing here is random.

        Raises:
            AgentWorldError: There is no script for the task.
        """
        self._seats = {}
        for agent, brief in briefs.items():
            script = scripts().get(brief.title, {})
            if agent not in script:
                raise AgentWorldError(
                    f"the scripted policy has no script for {agent!r} of the task {brief.title!r}"
                )
            self._seats[agent] = Seat(brief, script[agent])

    def act(self, turn: Turn) -> Call:
        """Returns the call that the agent's script asks for."""
        edible = tuple(each["item"] for each in turn.info["legal"].get("use_item", ()))
        return self._seats[turn.agent].act(turn.info["view"].to_dict(), edible, _VERBS)

    def recall(self, turn: Turn, decision: Decision) -> None:
        """Lets the agent's seat live through a recorded turn; it would have decided the same again."""
        self.act(turn)

    def config(self) -> dict[str, Any]:
        """Returns the hash of the scripts."""
        return {"scripts": digest()}
