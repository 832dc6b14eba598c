"""What changes in an episode while its record is played again, call by call, as plain data for the page.

Moments are numbered: moment 0 is the start, moment k is right after call k - 1, the world's own turn included if that
call ended the round. Lists of changes hold the moment first, so that a page finds how things stood by a search.
"""

from __future__ import annotations

from typing import Any

from agentworld_env.env import AgentWorldEnv, event_text, outcome_text
from agentworld_env.episodes import TurnLine
from agentworld_env.metrics.causal.export import said
from agentworld_env.sim.events import Moved, Said, Travelled
from agentworld_env.sim.state import ACTIVE, DEAD, LEFT

_FLAGS = {ACTIVE: 0, LEFT: 1, DEAD: 2}
_ASLEEP = 3


class Recorder:
    """Follows an environment through a record; ``before`` and ``after`` are called around each turn.

    Args:
        env: The environment, right after its reset.

    Attributes:
        agents: Rows [moment, agent, column, row, hit points, mana, condition]; a condition is 0 well, 1 left, 2 dead,
            3 asleep.
        bags: Rows [moment, agent, item -> units, slot -> item].
        mobs: Rows [moment, mob, column, row, hit points, agent it is after or -1, 1 if alive].
        nodes: Rows [moment, node, first round in which it gives again].
        ground: Thing -> [item, units, column, row, first moment, moment when it was gone or -1].
        sites: Rows [moment, site, item -> units received].
        points: Rows [moment, checkpoint, units done, 1 if reached].
        broken: Rows [moment, constraint, who or what broke it].
        psr: Rows [moment, PSR].
        steps: One per call: who, when, what, what came of it, what it had been shown.
        lines: The lines of all observations, each once; steps refer to them by number.
        tiles: All tiles on which an agent stood at some moment.
    """

    def __init__(self, env: AgentWorldEnv) -> None:
        self._env = env
        self._index = env.sim.index
        self.agents: list[list[int]] = []
        self.bags: list[list[Any]] = []
        self.mobs: list[list[int]] = []
        self.nodes: list[list[int]] = []
        self.ground: dict[str, list[Any]] = {}
        self.sites: list[list[Any]] = []
        self.points: list[list[int]] = []
        self.broken: list[list[Any]] = []
        self.psr: list[list[float]] = []
        self.steps: list[dict[str, Any]] = []
        self.lines: list[str] = []
        self.tiles: dict[tuple[int, int], None] = {}
        self._numbers: dict[str, int] = {}
        self._held: dict[tuple[str, int | str], Any] = {}
        self._lying: set[str] = set()
        self._shown: list[int] = []
        self._note(0)

    def before(self, line: TurnLine) -> None:
        """Keeps what the agent is shown before its turn."""
        self._shown = []
        for text in str(self._env.observe(line.agent)).split("\n"):
            number = self._numbers.setdefault(text, len(self.lines))
            if number == len(self.lines):
                self.lines.append(text)
            self._shown.append(number)

    def after(self, line: TurnLine) -> None:
        """Keeps what the turn changed."""
        own = [event for event in line.events if event.action == line.action]
        step: dict[str, Any] = {
            "agent": self._index[line.agent],
            "round": line.round,
            "tool": str(line.call.get("tool") or "") if isinstance(line.call, dict) else "",
            "call": said(line),
            "outcome": outcome_text("", line.result, own),
            "ok": line.result.ok,
            "shown": self._shown,
            "hash": line.hash,
        }
        world = [event_text(event) for event in line.events if event.action != line.action]
        optional: dict[str, Any] = {
            "world": [text for text in world if text],
            "ways": [way for event in own if (way := self._way(event))],
            "replies": [dict(reply) for reply in line.replies],
        }
        for event in own:
            if isinstance(event, Said):
                heard = [self._index[name] for name in event.heard if name in self._index]
                optional["said"] = [event.channel, event.text, heard]
        step |= {name: value for name, value in optional.items() if value}
        self.steps.append(step)
        self._note(len(self.steps))

    def _way(self, event: object) -> list[int] | None:
        """Returns the corners of a walk as [column, row, column, row, ...], or both ends of a journey by portal."""
        if isinstance(event, Travelled):
            return [event.x0, event.y0, event.x, event.y]
        if not isinstance(event, Moved) or not event.steps:
            return None
        # The log keeps the ends; the way between them is a shortest one, as agents walk.
        walk = self._env.sim.world.paths.walk(event.x0, event.y0, event.x, event.y)
        corners = ((event.x0, event.y0), (event.x, event.y)) if walk is None else walk.corners
        return [value for corner in corners for value in corner]

    def _note(self, moment: int) -> None:
        sim = self._env.sim
        state = sim.state
        for i, me in enumerate(state.agents):
            flag = _ASLEEP if me.asleep and me.status == ACTIVE else _FLAGS[me.status]
            self._keep(self.agents, moment, "agent", i, (me.x, me.y, me.hp, me.mana, flag))
            self.tiles[me.x, me.y] = None
            bag = {item: me.count(item) for item in me.bag}
            worn = {slot: piece[0] for slot, piece in me.worn.items()}
            self._keep(self.bags, moment, "bag", i, (bag, worn))
        for number, mob in state.mobs.items():
            place = (mob.x, mob.y, mob.hp, mob.target, int(not mob.dead_until))
            self._keep(self.mobs, moment, "mob", number, place)
        for key in [key for kind, key in self._held if kind == "mob"]:
            if key not in state.mobs and isinstance(key, int):  # as it was at the start
                self._keep(self.mobs, moment, "mob", key, (*sim.home(key), sim.spec(key).hp, -1, 1))
        for number, ready in state.nodes.items():
            self._keep(self.nodes, moment, "node", number, (ready,))
        for site, got in state.sites.items():
            self._keep(self.sites, moment, "site", site, (dict(got),))
        self._note_ground(moment)
        self._note_verdict(moment)

    def _note_ground(self, moment: int) -> None:
        lying = self._env.sim.state.ground
        for key in self._lying - lying.keys():
            self.ground[key][-1] = moment
        for key, (item, lots, x, y) in lying.items():
            units = sum(lot[2] for lot in lots)
            self.ground.setdefault(key, [item, units, x, y, moment, -1])[1] = units
        self._lying = set(lying)

    def _note_verdict(self, moment: int) -> None:
        verdict = self._env.verdict()
        for i, point in enumerate(verdict.checkpoints):
            self._keep(self.points, moment, "point", i, (point.have, int(point.reached)))
        for i, rule in enumerate(verdict.constraints):
            if not rule.held and ("rule", i) not in self._held:
                self._keep(self.broken, moment, "rule", i, (rule.broken_by,))
        if self._held.get(("psr", 0)) != verdict.psr:
            self._held["psr", 0] = verdict.psr
            self.psr.append([moment, verdict.psr])

    def _keep(self, rows: list[Any], moment: int, kind: str, key: int | str, values: tuple[Any, ...]) -> None:
        """Appends a row if something is not as it was."""
        if self._held.get((kind, key)) != values:
            self._held[kind, key] = values
            rows.append([moment, key, *values])
