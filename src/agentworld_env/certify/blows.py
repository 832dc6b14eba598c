"""Turns that fights take at the least."""

from __future__ import annotations

from functools import cache

from agentworld_env.certify.fights import Fights
from agentworld_env.certify.gaps import Tiles, pareto, rows
from agentworld_env.certify.spans import Spans
from agentworld_env.certify.turns import Need, Window
from agentworld_env.tasks.schema import Killed


class Blows:
    """What kills ask for.

    Args:
        spans: The task, its distances, and what must follow blows.
        fights: The damage that the team can do.
    """

    def __init__(self, spans: Spans, fights: Fights) -> None:
        self.spans = spans
        self.sources = sources = spans.sources
        self.sim = sources.sim
        self.fights = fights
        reach = max(item.reach for item in sources.world.items.values())
        self._reach = max(1, reach)
        # A mob is at most its leash from home when a round begins; each blow may draw it as near as a weapon reaches.
        leash = max([self.sim.rules.leash, *(raider.seeks for raider in self.sim.setup.raiders)])
        self._drawn = leash + self._reach * len(self.sim.names)
        self._windows = cache(self._windows_of)

    def needs(self) -> list[Need]:
        """Returns the turns that kills take."""
        points: dict[str, list[Killed]] = {}
        for point in self.sources.spec.checkpoints:
            if isinstance(point, Killed):
                spawn = self.sources.world.named_spawns.get(point.mob)
                points.setdefault(spawn.kind if spawn else point.mob, []).append(point)
        needs = []
        for kind, wanted in points.items():
            named: dict[str, Killed] = {}
            for point in wanted:
                if point.mob != kind and point.count > (named[point.mob].count if point.mob in named else 0):
                    named[point.mob] = point
            for point in named.values():
                needs.extend(self._bring_down(point))
            plain = [point for point in wanted if point.mob == kind]
            needs.extend(self._hunt(kind, plain, sum(point.count for point in named.values())))
        return needs

    def _hunt(self, kind: str, points: list[Killed], counted: int) -> list[Need]:
        """Returns one turn per kill of a common mob, and as many of those whose share must count.

        Args:
            kind: Kind of mob.
            points: What asks for it.
            counted: Kills of named ones of the kind, which count as well.
        """
        needs = []
        taken: set[str] = set()
        shared = 0
        for point in sorted(points, key=lambda point: -point.count):
            if point.by and not counted and not taken & set(point.by):
                taken.update(point.by)
                shared += point.count
                windows = self._windows(kind, tuple(self.sim.index[name] for name in point.by))
                needs.append(self._need(f"kill {point.count} {kind}", point.count, windows))
        rest = max((point.count for point in points), default=0) - counted - shared
        needs.append(self._need(f"kill {rest} {kind}", rest, self._windows(kind, self.sources.team)))
        return needs

    def _need(self, what: str, turns: int, windows: dict[int, Window]) -> Need:
        # The blow falls on a mob in sight, and ends as near to it as the weapon reaches.
        return Need(what, turns, windows, self.sim.rules.sight_mobs + self._reach)

    def gain(self, item: str, kills: int) -> Need:
        """Returns the turns in which so many mobs are killed for an item."""
        return self._need(f"gain {item}", kills, dict.fromkeys(self.sources.team, ((0, 0),)))

    def _homes(self, kind: str) -> Tiles:
        world = self.sources.world
        named = (spawn for spawn in world.named_spawns.values() if spawn.kind == kind)
        tiles = [(spawn.x, spawn.y) for spawn in world.mob_spawns if spawn.kind == kind]
        tiles += [(raider.x, raider.y) for raider in self.sim.setup.raiders if raider.kind == kind]
        return rows([*tiles, *((spawn.x, spawn.y) for spawn in named)])

    def _windows_of(self, kind: str, able: tuple[int, ...]) -> dict[int, Window]:
        # The seed moves common mobs as well as agents.
        return self._at(self._homes(kind), able, self._drawn + self.sources.mob_slack)

    def _at(self, homes: Tiles, able: tuple[int, ...], drawn: int) -> dict[int, Window]:
        """Returns when some agents can strike mobs that have been drawn so far (tiles) from their homes."""
        found: dict[int, Window] = {}
        sight = self.sim.rules.sight_mobs + drawn
        for i in able:
            if i in self.sources.team and len(homes):
                apart = self.sources.gaps.to_many(self.sources.starts[i], homes) - self.sources.slack
                heads = self.sources.gaps.moves(apart, sight)
                pairs = self.spans.fitted(homes, i, heads, heads * 0, self._reach + drawn, sight)
                found[i] = pareto(pairs)
        return found

    def windows_at(self, mob: str) -> dict[int, Window]:
        """Returns when each agent can strike a named mob."""
        spawn = self.sources.world.named_spawns[mob]
        return self._at(rows([(spawn.x, spawn.y)]), self.sources.team, self._drawn)

    def falls(self, point: Killed, last: int) -> int:
        """Returns the first round in which a named mob can fall as often as a checkpoint asks for."""
        heads = {i: min(head for head, _ in window) for i, window in self.windows_at(point.mob).items()}
        return self.fights.falls(point.mob, heads, last)

    def _bring_down(self, point: Killed) -> list[Need]:
        spawn = self.sources.world.named_spawns[point.mob]
        windows = self.windows_at(point.mob)
        heads = {i: min(head for head, _ in window) for i, window in windows.items()}
        blows = self.fights.turns(point.mob, heads, self.sources.spec.max_rounds)
        turns = max(spawn.team, blows) * point.count
        by = {self.sim.index[name] for name in point.by} or set(windows)
        sharing = {i: window for i, window in windows.items() if i in by}
        what = f"kill {point.mob}"
        return [self._need(what, point.count, sharing), self._need(what, turns - point.count, windows)]
