"""Little episodes made by hand: a stage that writes turn lines as the simulator would, without a map."""

from __future__ import annotations

from typing import Any

from agentworld_env.episodes.record import Episode, Header, TurnLine
from agentworld_env.metrics import ActionGraph, effectiveness
from agentworld_env.metrics.causal import Effectiveness, Method, Trace
from agentworld_env.sim import events as ev
from agentworld_env.sim.bag import carried_by, material, put, take
from agentworld_env.verifiers import CheckpointStatus, Verdict

SIGHT = 64
WALK = 120
REACH = 8


class Plain:
    """Land without obstacles, except that columns from 1000 on are an island that only portals reach."""

    def connected(self, x0: int, y0: int, x1: int, y1: int) -> bool:
        return (x0 >= 1000) == (x1 >= 1000)

    def distance(self, x0: int, y0: int, x1: int, y1: int) -> int | None:
        return abs(x0 - x1) + abs(y0 - y1) if self.connected(x0, y0, x1, y1) else None


class Stage:
    """Writes an episode; every method but the world's is one turn and returns the action's number."""

    def __init__(self, **starts: tuple[int, int]) -> None:
        self.at = dict(starts)
        self.team: dict[str, Any] = {name: {"inventory": {}, "skills": {}, "worn": []} for name in starts}
        self.bags: dict[str, dict[str, tuple[ev.Lot, ...]]] = {name: {} for name in starts}
        self.worn: dict[str, tuple[str, int, int, int]] = {}
        self.turns = dict.fromkeys(starts, 0)
        self.lines: list[TurnLine] = []
        self.round = 1

    def own(self, agent: str, item: str, units: int) -> None:
        origin = -1 - list(self.at).index(agent)
        put(self.bags[agent], item, ((origin, -1, units),))
        self.team[agent]["inventory"][item] = units

    def wear(self, agent: str, item: str) -> None:
        self.worn[agent] = (item, -1 - list(self.at).index(agent), -1, -1)

    @property
    def next(self) -> int:
        return len(self.lines)

    def turn(
        self,
        agent: str,
        tool: str,
        *events: Any,
        needs: tuple[ev.Need, ...] = (),
        ok: bool = True,
        **arguments: Any,
    ) -> int:
        result = ev.Result(True, needs=needs) if ok else ev.fail("no", "it failed")
        number = self.next
        self.lines.append(
            TurnLine(
                action=number,
                round=self.round,
                agent=agent,
                call={"tool": tool, "arguments": arguments},
                result=result,
                events=tuple(events),
                hash="",
            )
        )
        self.turns[agent] += 1
        return number

    def world(self, *events: Any) -> None:
        """Ends the round with some events of the world's turn."""
        last = self.lines[-1]
        self.lines[-1] = TurnLine(
            action=last.action,
            round=last.round,
            agent=last.agent,
            call=last.call,
            result=last.result,
            events=last.events + events,
            hash="",
        )
        self.round += 1

    def _walk(self, agent: str, x: int, y: int) -> tuple[Any, ...]:
        x0, y0 = self.at[agent]
        if (x0, y0) == (x, y):
            return ()
        self.at[agent] = (x, y)
        steps = abs(x - x0) + abs(y - y0)
        return (ev.Moved(self.next, self.round, (), agent, x0, y0, x, y, steps, ""),)

    def move(self, agent: str, x: int, y: int) -> int:
        walked = self._walk(agent, x, y)
        need = ev.Need(agent, x, y, WALK)
        return self.turn(agent, "move_character", *walked, needs=(need,), x=x, y=y)

    def noticed(self, agent: str, x: int, y: int, mob: str) -> int:
        """A move that ends because a mob notices the agent."""
        x0, y0 = self.at[agent]
        walked = ev.Moved(self.next, self.round, (), agent, x0, y0, x, y, abs(x - x0) + abs(y - y0), mob)
        self.at[agent] = (x, y)
        return self.turn(agent, "move_character", walked, needs=(ev.Need(agent, x, y, WALK),), x=x, y=y)

    def portal(self, agent: str, to: tuple[int, int]) -> int:
        x, y = self.at[agent]
        event = ev.Travelled(self.next, self.round, (), agent, "door", x, y, *to)
        self.at[agent] = to
        return self.turn(agent, "enter_portal", event, needs=(ev.Need(agent, x, y, 2),))

    def stumble(self, agent: str, x: int, y: int) -> int:
        """A harvest call that fails after its walk, because a mob notices the agent."""
        return self.turn(agent, "harvest_resource", *self._walk(agent, x, y), ok=False)

    def _gear(self, agent: str) -> tuple[ev.Cause, ...]:
        worn = self.worn.get(agent)
        return () if worn is None else tuple(("equipment", n) for n in worn[2:4] if n >= 0)

    def harvest(self, agent: str, item: str, x: int, y: int, *, walk: bool = True, tool: bool = True) -> int:
        number = self.next
        walked = self._walk(agent, x, y) if walk else ()
        put(self.bags[agent], item, ((number, number, 1),))
        causes = self._gear(agent) if tool else ()
        event = ev.Harvested(number, self.round, causes, agent, f"{item}-0001", item, 1, "mining", 1)
        needs = (ev.Need(agent, x, y, SIGHT),)
        return self.turn(agent, "harvest_resource", *walked, event, needs=needs, target=f"{item}-0001")

    def craft(self, agent: str, item: str, **inputs: int) -> int:
        number = self.next
        used = tuple((key, take(self.bags[agent], key, units)) for key, units in inputs.items())
        put(self.bags[agent], item, ((number, number, 1),))
        causes = tuple(dict.fromkeys(cause for _, lots in used for cause in material(lots)))
        event = ev.Crafted(number, self.round, causes, agent, "smithing", item, 1, 1, 1, used)
        return self.turn(agent, "craft_item", event, skill="smithing", item=item)

    def give(self, agent: str, to: str, item: str, units: int = 1) -> int:
        number = self.next
        lots = take(self.bags[agent], item, units)
        put(self.bags[to], item, carried_by(lots, number))
        event = ev.Transferred(number, self.round, material(lots), agent, to, item, units, lots)
        needs = (ev.Need(agent, *self.at[to], REACH), ev.Need(to, *self.at[agent], REACH))
        return self.turn(agent, "transfer_items", event, needs=needs, to=to, item=item, count=units)

    def equip(self, agent: str, item: str) -> int:
        number = self.next
        events: list[Any] = []
        old = self.worn.pop(agent, None)
        new = None
        if old is None or old[0] != item:
            origin, via, _ = take(self.bags[agent], item, 1)[0]
            causes = (("material", via),) if via >= 0 else ()
            new = ev.Equipped(number, self.round, causes, agent, "weapon", item, origin)
            self.worn[agent] = (item, origin, via, number)
        if old is not None:
            causes = (("equipment", old[3]),) if old[3] >= 0 else ()
            put(self.bags[agent], old[0], ((old[1], old[2], 1),))
            events.append(ev.Unequipped(number, self.round, causes, agent, "weapon", old[0]))
        if new is not None:
            events.append(new)
        return self.turn(agent, "equip_item", *events, item=item)

    def equip_another(self, agent: str) -> int:
        """Swaps what an agent wears for another of the same kind from its bag."""
        number, (item, *old) = self.next, self.worn[agent]
        origin, via, _ = take(self.bags[agent], item, 1)[0]
        put(self.bags[agent], item, ((old[0], old[1], 1),))
        self.worn[agent] = (item, origin, via, number)
        off = ev.Unequipped(
            number, self.round, (("equipment", old[2]),) * (old[2] >= 0), agent, "weapon", item
        )
        brought = (("material", via),) * (via >= 0)
        on = ev.Equipped(number, self.round, brought, agent, "weapon", item, origin)
        return self.turn(agent, "equip_item", off, on, item=item)

    def strike(
        self, agent: str, mob: str, damage: int, *, guarded: str = "", kills: tuple[int, ...] | None = None
    ) -> int:
        number = self.next
        events: list[Any] = [
            ev.Struck(number, self.round, self._gear(agent), agent, mob, 1, damage, 0, guarded)
        ]
        if kills is not None:
            causes = tuple(("damage", n) for n in kills)
            events.append(ev.Killed(number, self.round, causes, mob, "rat", agent, ((agent, damage),)))
        return self.turn(agent, "attack_entity", *events, target=mob)

    def loot(self, agent: str, item: str, kills: tuple[int, ...] = ()) -> int:
        """Kills a rat that drops something."""
        number = self.strike(agent, "rat-0001", 5, kills=kills)
        put(self.bags[agent], item, ((number, number, 1),))
        looted = ev.Looted(number, self.round, (), agent, "rat-0001", item, 1)
        self.world(looted)
        return number

    def eat(self, agent: str, gain: int, causes: tuple[ev.Cause, ...] = ()) -> int:
        event = ev.Consumed(self.next, self.round, causes, agent, "apple", 1, gain, 0)
        return self.turn(agent, "use_item", event, item="apple")

    def hurt(self, agent: str, damage: int, hp: int) -> None:
        """A mob hurts an agent in the world's turn."""
        self.world(ev.Hurt(-1, self.round, (), agent, "wolf-0001", damage, hp))

    def say(self, agent: str, *mentions: ev.Mention) -> int:
        heard = tuple(name for name in self.at if name != agent)
        event = ev.Said(self.next, self.round, (), agent, "team", "words", heard, mentions)
        return self.turn(agent, "chat", event, message="words")

    def sleep(self, agent: str, rounds: int = 1) -> int:
        number = self.turn(agent, "sleep", ev.Slept(self.next, self.round, (), agent, rounds), rounds=rounds)
        self.turns[agent] += rounds - 1
        return number

    # -- what the metrics say ------------------------------------------------------------------------------------

    def graph(self, method: Method = "events") -> ActionGraph:
        return ActionGraph(self.lines, method=method, land=Plain(), team=self.team)

    def trace(self, *success: int, method: Method = "events") -> Trace:
        return self.graph(method).trace(success)

    def found(self, *success: int, won: bool = True) -> Effectiveness:
        task = {"checkpoints": [{"kind": "gathered"}]}
        return effectiveness(self.graph(), verdict(*success, won=won), self.turns, task)

    def episode(self) -> Episode:
        header = Header(
            format=1,
            package="0",
            rules=1,
            suite="hand",
            task="hand",
            task_hash="",
            spec={"title": "Hand", "team": self.team, "checkpoints": [{"kind": "gathered"}]},
            seed=0,
            setting="default",
            policy={},
        )
        return Episode(header=header, lines=self.lines)


def verdict(*success: int, won: bool = True) -> Verdict:
    """A verdict on one checkpoint that those actions reached."""
    status = CheckpointStatus("gathered", "Ore", 1, 1, True, 1, tuple(sorted(success)))
    psr = 1.0 if won else 0.0
    return Verdict(
        success=won, psr=psr, progress=psr, checkpoints=(status,), constraints=(), impossible=not won
    )
