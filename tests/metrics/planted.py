"""Episodes with known truth: a productive chain of four agents, with useless, redundant and harmful actions planted.

They are played in the real simulator. What contributes is worked out beside it by a ledger of units: every unit in a
bag carries the set of actions that it rests on. The ledger knows nothing of events, lots or graphs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
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
HARMFUL = ("give-away",)


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
def task(sticks: int) -> Task:
    """The cutter cuts, the carver carves, the binder must get so many sticks; the idler is in nobody's way."""
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
                    "cutter": {**hand, "start": (x, y), "skills": wood, "worn": ("axe",)},
                    "carver": {**hand, "start": (x, y), "skills": {"fletching": 15, "health": 20}},
                    "binder": {**hand, "start": (x + 1, y), "skills": {"health": 20}},
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
class _Play:
    env: AgentWorldEnv
    dice: Dice
    sticks: int
    lines: list[Any] = field(default_factory=list)
    bags: dict[tuple[str, str], list[Unit]] = field(default_factory=dict)
    moved: dict[str, int | None] = field(default_factory=dict)
    delivered: list[Unit] = field(default_factory=list)
    plants: dict[str, list[int]] = field(default_factory=dict)
    away: set[str] = field(default_factory=set)
    asked_for_logs: int | None = None

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
        if tool == "move_character":
            self.moved[name] = number
        elif tool == "harvest_resource":
            self.moved[name] = None
            self.bags.setdefault((name, "logs"), []).append(frozenset({number}))
        elif tool == "craft_item":
            used = self._taken(name, "logs", 1)
            made = frozenset({number}).union(*used)
            self.bags.setdefault((name, "stick"), []).extend([made] * PER_LOG)
        elif tool == "transfer_items":
            units = self._taken(name, arguments["item"], arguments["count"])
            walks = {
                walk for walk in (self.moved.get(name), self.moved.get(arguments["to"])) if walk is not None
            }
            given = frozenset({number} | walks).union(*units)
            self.bags.setdefault((arguments["to"], arguments["item"]), []).extend([given] * len(units))
            if arguments["to"] == "binder":
                self.delivered += [given] * len(units)

    def _taken(self, name: str, item: str, count: int) -> list[Unit]:
        bag = self.bags.setdefault((name, item), [])
        taken, bag[:] = bag[:count], bag[count:]
        return taken

    # -- the chain ------------------------------------------------------------------------------------

    def chain(self, name: str) -> Call:
        missing = self.sticks - len(self.delivered)
        if name == "carver":
            if self.apart("carver", "binder") > REACH:
                return WAIT if "binder" in self.away else call("move_character", **_tile(self.at("binder")))
            ready = self.has("carver", "stick")
            if self.has("carver", "logs") and ready < missing:
                return call("craft_item", skill="fletching", item="stick", count=1)
            if ready >= missing or (ready and self.dice.chance(30)):
                return call("transfer_items", to="binder", item="stick", count=min(ready, missing))
            return WAIT
        if name != "cutter":
            return WAIT
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
        if kind == "swap" and name == "cutter":
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
        if kind == "request" and name == "carver":
            return [call("chat", message="Bring logs, please")]
        return []


def _tile(at: tuple[int, int]) -> dict[str, int]:
    return {"x": at[0], "y": at[1]}


def plant_episode(seed: int, kinds: tuple[str, ...], *, chat: bool = False) -> Planted | None:
    """Plays an episode; returns None if the chain did not come to its end within the budget.

    Args:
        seed: Seed of the episode and of all that is planted.
        kinds: What may be planted.
        chat: Whether the carver asks for logs at some time, and again later.
    """
    dice = Dice(seed)
    sticks = 1 + dice.below(14)
    env = AgentWorldEnv(task(sticks))
    env.reset(seed=seed)
    play = _Play(env, dice, sticks)
    # What the idler holds at the start rests on nobody's action.
    play.bags["idler", "logs"] = [frozenset()] * 9
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
    truth = set().union(*play.delivered[:sticks])
    told = play.asked_for_logs
    heeded = told is not None and any(
        number > told and _deals_with_logs(play.lines[number]) for number in truth
    )
    with_chat = truth | {told} if heeded and told is not None else set(truth)
    left_over = play.has("carver", "logs") + play.has("carver", "stick")
    return Planted(episode, env, truth, with_chat, play.plants, left_over)


def _deals_with_logs(line: Any) -> bool:
    """The cutter fetched logs, or somebody but the carver, who had asked, handed them over."""
    tool, arguments = line.call["tool"], line.call["arguments"]
    return line.agent != "carver" and (tool == "harvest_resource" or arguments.get("item") == "logs")


def planted_episodes(
    count: int, kinds: tuple[str, ...], *, chat: bool = False, first: int = 0
) -> list[Planted]:
    """Returns so many finished episodes."""
    found: list[Planted] = []
    for seed in range(first, first + 4 * count):
        try:
            episode = plant_episode(seed, kinds, chat=chat)
        except Spoilt:
            continue
        if episode is not None:
            found.append(episode)
        if len(found) == count:
            return found
    raise AssertionError(f"only {len(found)} of {4 * count} episodes came to their end")
