"""Episodes with known truth: a productive chain of four agents, with useless, redundant and harmful actions planted.

They are played in the real simulator. What contributes is worked out beside it by a ledger of units: every unit in a
bag carries the set of actions that it rests on. The ledger knows nothing of events, lots or graphs.

Logs that went from the idler to the carver and back, or back and forth, were for nothing if both could have kept theirs
and still have done all that they did. Every choice of such hand-overs is left out of the ledger in turn; of those after
which nobody lacks a unit at any time, the truth is the one of the fewest actions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import combinations
from typing import Any

from agentworld_env.env import AgentWorldEnv
from agentworld_env.episodes import Episode, make_footer, make_header, play_turn, skip_departed
from agentworld_env.sim.randomness import below, draw
from agentworld_env.tasks.schema import TaskSpec
from agentworld_env.tasks.task import Task

Call = dict[str, Any]
Unit = frozenset[int]

WAIT: Call = {"tool": "sleep", "arguments": {"rounds": 1}}
CAMP = (388, 3)
REACH = 8
PER_LOG = 4
SEED_BUDGET = 60

USELESS = ("failure", "detour", "surplus", "swap", "junk", "small talk")
REDUNDANT = ("spare log",)
HARMFUL = ("give-away", "squandered")


def call(tool: str, **arguments: Any) -> Call:
    return {"tool": tool, "arguments": arguments}


class Spoilt(Exception):  # noqa: N818
    """Something went otherwise than the ledger can follow."""


class Dice:
    """Draws that hang on one number alone."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._drawn = 0

    def below(self, limit: int) -> int:
        self._drawn += 1
        return below(limit, draw(self._seed, 77, self._drawn, 0))

    def chance(self, percent: int) -> bool:
        return self.below(100) < percent


@cache
def task(sticks: int, armed: bool = False) -> Task:
    """The cutter cuts, the carver carves, the binder must get so many sticks; the idler is in nobody's way.

    If they have to be armed first, it is the binder who has the cutter's axe.
    """
    x, y = CAMP
    hand = {"about": "A hand.", "group": "hands"}
    wood = {"lumberjacking": 25, "health": 20}
    return Task(
        TaskSpec.model_validate(
            {
                "id": "planted",
                "title": "Planted",
                "category": "crafting",
                "max_rounds": SEED_BUDGET,
                "objective": "Hand sticks to the binder.",
                "team": {
                    "cutter": {**hand, "start": (x, y), "skills": wood, "worn": () if armed else ("axe",)},
                    "carver": {**hand, "start": (x, y), "skills": {"fletching": 15, "health": 20}},
                    "binder": {
                        **hand,
                        "start": (x + 1, y),
                        "skills": {"health": 20},
                        "inventory": {"axe": 1} if armed else {},
                    },
                    "idler": {
                        **hand,
                        "start": (x, y),
                        "skills": {**wood, "fletching": 15},
                        "worn": ("axe",),
                        "inventory": {"logs": 9, "apple": 2},
                    },
                },
                "checkpoints": [
                    {
                        "kind": "delivered",
                        "label": "Sticks handed to the binder",
                        "item": "stick",
                        "count": sticks,
                        "to": "binder",
                    }
                ],
            }
        )
    )


@dataclass
class Planted:
    """An episode and the truth about it; ``left_over`` counts the carver's units that nobody needed."""

    episode: Episode
    env: AgentWorldEnv
    truth: set[int]
    with_chat: set[int]
    plants: dict[str, list[int]]
    left_over: int


@dataclass
class _Booked:
    """Something that was done, and the walks that it needed."""

    name: str
    tool: str
    arguments: Call
    number: int
    walks: frozenset[int]


@dataclass
class _Play:
    env: AgentWorldEnv
    dice: Dice
    sticks: int
    armed: bool
    lines: list[Any] = field(default_factory=list)
    booked: list[_Booked] = field(default_factory=list)
    moved: dict[str, int | None] = field(default_factory=dict)
    delivered: int = 0
    plants: dict[str, list[int]] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    asked_for_logs: int | None = None
    wears_axe: bool = False

    # -- what is going on -----------------------------------------------------------------------------

    def at(self, name: str) -> tuple[int, int]:
        agent = self.env.sim.state.agents[self.env.sim.index[name]]
        return agent.x, agent.y

    def apart(self, one: str, other: str) -> int:
        (x, y), (p, q) = self.at(one), self.at(other)
        return abs(x - p) + abs(y - q)

    def has(self, name: str, item: str) -> int:
        return self.env.sim.state.agents[self.env.sim.index[name]].count(item)

    def oak(self, name: str) -> str | None:
        """Returns an oak that gives now and that is beyond the reach of a hand-over, so that one must walk back."""
        sim = self.env.sim
        x, y = self.at(name)
        for _, number in sim.world.nodes_near(x, y, 22):
            node = sim.world.nodes[number]
            if node.kind == "oak" and sim.node_ready(number) <= sim.state.round:
                return node.id
        return None

    # -- one turn -------------------------------------------------------------------------------------

    def turn(self, name: str, made: Call, plant: str = "") -> int:
        number = self.env.sim.state.actions
        line = play_turn(self.env, made)
        self.lines.append(line)
        if plant:
            self.plants.setdefault(plant, []).append(number)
        if line.result.ok:
            self._book(name, made["tool"], made["arguments"], number)
        elif plant != "failure":
            # A mob noticed somebody: such an episode is not the chain that was planned.
            raise Spoilt(f"{plant or 'chain'}: {made} failed: {line.result.reason}")
        return number

    def _book(self, name: str, tool: str, arguments: Call, number: int) -> None:
        walks: frozenset[int] = frozenset()
        if tool == "move_character":
            self.moved[name] = number
        elif tool == "harvest_resource":
            self.moved[name] = None
        elif tool == "transfer_items":
            both = (self.moved.get(name), self.moved.get(arguments["to"]))
            walks = frozenset(walk for walk in both if walk is not None)
            if arguments["to"] == "binder":
                self.delivered += arguments["count"]
        elif tool == "equip_item":
            if not self.armed or self.wears_axe:
                return  # one half of a swap, after which the axe is worn as before
            self.wears_axe = True
        self.booked.append(_Booked(name, tool, arguments, number, walks))

    def explanations(self) -> list[set[int]]:
        """Returns what the delivered sticks rest on, for every choice of logs that went to and fro for nothing."""
        gifts = [(each.number, each.name) for each in self.booked if _between(each)]
        there = [number for number, name in gifts if name == "idler"]
        back = [number for number, name in gifts if name == "carver"]
        found = []
        for size in range(min(len(there), len(back)) + 1):
            for one in combinations(there, size):
                for other in combinations(back, size):
                    units = _delivered(self.booked, {*one, *other})
                    if units is not None:
                        found.append(set().union(*units[: self.sticks]))
        return found

    # -- the chain ------------------------------------------------------------------------------------

    def chain(self, name: str) -> Call:
        missing = self.sticks - self.delivered
        if name == "carver":
            if self.apart("carver", "binder") > REACH:
                return WAIT if "binder" in self.away else call("move_character", **_tile(self.at("binder")))
            ready = self.has("carver", "stick")
            if self.has("carver", "logs") and ready < missing:
                return call("craft_item", skill="fletching", item="stick", count=1)
            if ready >= missing or (ready and self.dice.chance(30)):
                return call("transfer_items", to="binder", item="stick", count=min(ready, missing))
            return WAIT
        if name == "binder" and self.has("binder", "axe"):
            if "cutter" in self.away or "binder" in self.away:
                return WAIT
            if self.apart("binder", "cutter") > REACH:
                raise Spoilt("the axe is out of reach")
            return call("transfer_items", to="cutter", item="axe", count=1)
        if name != "cutter":
            return WAIT
        if self.armed and not self.wears_axe:
            return call("equip_item", item="axe") if self.has("cutter", "axe") else WAIT
        wanted = -(-missing // PER_LOG) - self.has("carver", "stick") // PER_LOG - self.has("carver", "logs")
        held = self.has("cutter", "logs")
        # Whoever has set out hands over before it fetches more: where a walk to a tree ends depends on where it began.
        set_out = held and self.moved.get("cutter") is not None
        if held and (set_out or held >= wanted or self.dice.chance(40)):
            if "carver" in self.away or self.apart("carver", "binder") > REACH:
                return WAIT  # nobody runs after somebody who is about to come back, or to go
            if self.apart("cutter", "carver") > REACH:
                return call("move_character", **_tile(self.at("carver")))
            return call("transfer_items", to="carver", item="logs", count=held)
        oak = self.oak("cutter") if held < wanted else None
        return call("harvest_resource", target=oak) if oak is not None else WAIT

    # -- plants ---------------------------------------------------------------------------------------

    def plant(self, name: str, kind: str) -> list[Call]:
        """Returns the calls of a plant, or nothing where it cannot be planted now."""
        if kind == "failure":
            return [call("harvest_resource", target="no-such-tree")]
        if kind == "detour":
            x, y = self.at(name)
            return [call("move_character", x=x, y=y + 14), call("move_character", x=x, y=y)]
        if kind == "swap" and name == "cutter" and self.wears_axe == self.armed:
            return [call("equip_item", item="axe"), call("equip_item", item="axe")]
        if kind == "surplus" and name == "idler":
            oak = self.oak("idler")
            return [call("harvest_resource", target=oak)] if oak is not None else []
        if kind == "junk" and name == "idler":
            return [call("craft_item", skill="fletching", item="stick", count=1)]
        if kind == "small talk":
            words = ("There is coal in the hills", "3", "Fine weather")
            return [call("chat", message=words[self.dice.below(len(words))])]
        if kind == "spare log" and name == "idler" and self.apart("idler", "carver") <= REACH:
            return [call("transfer_items", to="carver", item="logs", count=1)]
        near = self.apart("carver", "idler") <= REACH
        if kind == "give-away" and name == "carver" and near and self.has("carver", "logs"):
            return [call("transfer_items", to="idler", item="logs", count=1)]
        if kind == "squandered" and name == "carver" and near and self.has("carver", "stick"):
            return [call("transfer_items", to="idler", item="stick", count=1)]
        if kind == "request" and name == "carver":
            return [call("chat", message="Bring logs, please")]
        return []


def _between(booked: _Booked) -> bool:
    """Whether logs changed hands between the idler and the carver."""
    return (
        booked.tool == "transfer_items"
        and booked.arguments["item"] == "logs"
        and {booked.name, booked.arguments["to"]} == {"idler", "carver"}
    )


def _delivered(booked: list[_Booked], left_out: set[int]) -> list[Unit] | None:
    """Returns the actions that each stick of the binder rests on, or None if somebody would have lacked something.

    Units are used first in, first out. Hand-overs of single logs can be left out.
    """
    # What the idler holds at the start rests on nobody's action.
    bags: dict[tuple[str, str], list[Unit]] = {
        ("idler", "logs"): [frozenset()] * 9,
        ("binder", "axe"): [frozenset()],
    }
    worn: dict[str, Unit] = {}
    for each in booked:
        if each.number in left_out:
            continue
        own = frozenset({each.number})
        if each.tool == "harvest_resource":
            bags.setdefault((each.name, "logs"), []).append(own | worn.get(each.name, frozenset()))
        elif each.tool == "equip_item":
            worn[each.name] = own | bags[each.name, "axe"].pop()
        elif each.tool in ("craft_item", "transfer_items"):
            made = each.tool == "craft_item"
            item, count = ("logs", 1) if made else (each.arguments["item"], each.arguments["count"])
            bag = bags.setdefault((each.name, item), [])
            if len(bag) < count:
                return None
            taken, bag[:] = bag[:count], bag[count:]
            unit = (own | each.walks).union(*taken)
            to = (each.name, "stick") if made else (each.arguments["to"], item)
            bags.setdefault(to, []).extend([unit] * (PER_LOG if made else count))
    return bags.get(("binder", "stick"), [])


def _tile(at: tuple[int, int]) -> dict[str, int]:
    return {"x": at[0], "y": at[1]}


def plant_episode(
    seed: int, kinds: tuple[str, ...], *, chat: bool = False, armed: bool = False
) -> Planted | None:
    """Plays an episode; returns None if the chain did not come to its end within the budget.

    Args:
        seed: Seed of the episode and of all that is planted.
        kinds: What may be planted.
        chat: Whether the carver asks for logs at some time, and again later.
        armed: Whether the cutter must be given its axe first, and put it on.
    """
    dice = Dice(seed)
    sticks = 1 + dice.below(14)
    env = AgentWorldEnv(task(sticks, armed))
    env.reset(seed=seed)
    play = _Play(env, dice, sticks, armed)
    queues: dict[str, list[Call]] = {name: [] for name in env.possible_agents}
    requests = sorted(1 + dice.below(8) for _ in range(1 + dice.below(3))) if chat else []
    names: dict[str, str] = {}
    while skip_departed(env):
        name = env.agent_selection
        if name == "carver" and requests and env.round >= requests[0] and not queues[name]:
            requests.pop(0)
            number = play.turn(name, play.plant(name, "request")[0], "request")
            if play.asked_for_logs is None:
                play.asked_for_logs = number
            continue
        if not queues[name] and kinds and dice.chance(35):
            kind = kinds[dice.below(len(kinds))]
            queues[name] = play.plant(name, kind)
            names[name] = kind
        if queues[name]:
            made, kind = queues[name].pop(0), names[name]
            before = play.moved.get(name)
            play.turn(name, made, kind)
            if kind == "detour":
                (play.away.add if queues[name] else play.away.discard)(name)
            if kind in ("detour", "swap"):
                play.moved[name] = before
        else:
            play.turn(name, play.chain(name))
    if not env.verdict().success:
        return None
    header = make_header(env.task, seed=seed, setting="default", policy={"name": "planted"})
    episode = Episode(header=header, lines=play.lines)
    episode.footer = make_footer(env, {})
    explanations = play.explanations()
    told = play.asked_for_logs
    talking = [
        each | {number for number in (told,) if number is not None and _heeded(number, play.lines, each)}
        for each in explanations
    ]
    truth, with_chat = _fewest(explanations), _fewest(talking)
    left_over = play.has("carver", "logs") + play.has("carver", "stick")
    return Planted(episode, env, truth, with_chat, play.plants, left_over)


def _fewest(sets: list[set[int]]) -> set[int]:
    least = min(map(len, sets))
    found = {frozenset(each) for each in sets if len(each) == least}
    if len(found) > 1:
        raise Spoilt("the truth is not one")
    return set(found.pop())


def _heeded(told: int, lines: list[Any], truth: set[int]) -> bool:
    """Whether somebody handed logs to the carver, who had asked for them; what the trees give everybody can see."""
    return any(
        number > told
        and lines[number].call["tool"] == "transfer_items"
        and lines[number].call["arguments"]["item"] == "logs"
        and lines[number].call["arguments"]["to"] == "carver"
        for number in truth
    )


def planted_episodes(
    count: int, kinds: tuple[str, ...], *, chat: bool = False, armed: bool = False, first: int = 0
) -> list[Planted]:
    """Returns so many finished episodes."""
    found: list[Planted] = []
    for seed in range(first, first + 4 * count):
        try:
            episode = plant_episode(seed, kinds, chat=chat, armed=armed)
        except Spoilt:
            continue
        if episode is not None:
            found.append(episode)
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} of {4 * count} episodes came to their end")
