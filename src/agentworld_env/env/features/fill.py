"""Writing what an agent sees into a block of bytes. No text is built on the way."""

from __future__ import annotations

from functools import cache
from struct import Struct
from typing import Any

from agentworld_env.env.features.brief import AgentBrief
from agentworld_env.env.features.ids import ROLES, TOPICS
from agentworld_env.env.features.layout import BAG, TRADES, Layout
from agentworld_env.env.features.sight import Sight
from agentworld_env.env.seen import SeenMob
from agentworld_env.env.words import read_words
from agentworld_env.sim.events import Hurt
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, DEAD, LEFT
from agentworld_env.tools import TOOLS
from agentworld_env.world.catalogue import SKILLS, SLOTS
from agentworld_env.world.geometry import HEIGHT, WIDTH
from agentworld_env.world.overview import REACH_X, REACH_Y, SQUARE

_TOP_LEVEL = 135
_SIGHT = 64
_FAR = 1056

_TOOL_NUMBER = {name: number for number, name in enumerate(TOOLS, 1)}
_ROLE_NUMBER = {role: number for number, role in enumerate(ROLES, 1)}
_TOPIC_NUMBER = {topic: number for number, topic in enumerate(TOPICS, 1)}
_SKILL_PLACE = {skill: place for place, skill in enumerate(SKILLS)}

Rows = list[float]


@cache
def _floats(count: int) -> Struct:
    return Struct(f"<{count}f")


@cache
def _ints(count: int) -> Struct:
    return Struct(f"<{count}i")


class Filler:
    """Fills the blocks of one agent.

    Args:
        layout: Where everything goes.
        sim: The simulation.
        agent: Index of the agent.
        brief: What it knows all along.
    """

    def __init__(self, layout: Layout, sim: Simulation, agent: int, brief: AgentBrief) -> None:
        self._layout = layout
        self._sim = sim
        self._agent = agent
        self._brief = brief
        self._mates = tuple([i for i in range(len(sim.names)) if i != agent])
        self._most = float(sim.max_hp[agent])
        self._top_hp = sim.max_hp[agent] / (sim.max_hp[agent] + 1000)
        self._top_mana = sim.max_mana[agent] / (sim.max_mana[agent] + 1000)
        self._number = {name: i for i, name in enumerate(sim.names, 1)}
        terrain = layout.at["terrain"]
        self._terrain = slice(terrain, terrain + (2 * REACH_Y + 1) * (2 * REACH_X + 1))
        self._constant = self._unchanging()

    def _unchanging(self) -> bytes:
        """Returns a block that holds what never changes within a task."""
        layout, brief, ids = self._layout, self._brief, self._layout.ids
        block = bytearray(layout.size)
        if not self._sim.setup.growth:
            skills = [self._sim.skills[self._agent].get(skill, 0) / _TOP_LEVEL for skill in SKILLS]
            _put(block, layout.at["skills"], skills)
        wanted = [ids.item[item] for item in brief.wanted]
        _put_ids(block, layout.at["wanted_items"], wanted)
        numbers: list[int] = []
        for goal in brief.goals:
            numbers += (goal.kind, ids.item.get(goal.item, 0), goal.mob)
        _put_ids(block, layout.at["goal_ids"], numbers)
        return bytes(block)

    def fill(self, block: Any, sight: Sight, progress: float, max_rounds: int) -> None:
        """Writes an agent's features.

        Args:
            block: A writable buffer of bytes, ``Layout.size`` long; what it held is overwritten.
            sight: What the agent sees.
            progress: Reward paid to the agent so far, shaping apart.
            max_rounds: Round budget.
        """
        at = self._layout.at
        memory = memoryview(block)
        memory[:] = self._constant
        self._status(memory, sight, progress, max_rounds)
        self._bag(memory, sight)
        self._entities(memory, sight)
        if self._mates:
            self._team(memory, sight)
        if self._brief.landmarks:
            rows: Rows = []
            for x, y in self._brief.landmarks:
                dx, dy = x - sight.x, y - sight.y
                distance = abs(dx) + abs(dy)
                rows += (1.0, dx / _FAR, dy / _FAR, distance / (distance + 120))
            _put(memory, at["landmarks"], rows)
        self._goals(memory, sight)
        if sight.messages:
            self._messages(memory, sight)
        column, row = sight.x // SQUARE, sight.y // SQUARE
        window = self._layout.ids.map[row : row + 2 * REACH_Y + 1, column : column + 2 * REACH_X + 1]
        memory[self._terrain] = window.tobytes()

    def _status(self, memory: memoryview, sight: Sight, progress: float, max_rounds: int) -> None:
        sim, view, ids, at = self._sim, sight.view, self._layout.ids, self._layout.at
        me, round_ = view.me, sim.state.round
        last, tool, ok, failed, hurt = me.last, 0, 0.0, 0.0, 0
        if last is not None:
            tool = _TOOL_NUMBER.get(last.tool, 0)
            ok, failed = (1.0, 0.0) if last.result.ok else (0.0, 1.0)
            for event in sim.whereabouts.befell(self._agent, last.end):
                if type(event) is Hurt and event.agent == view.name:
                    hurt += event.damage
        left, new = max(max_rounds - round_ + 1, 0), sight.new_messages
        east, west, south, north = sight.free
        status = (
            min(round_ / max_rounds, 1.0), left / (left + 8), sight.x / WIDTH, sight.y / HEIGHT, me.hp / self._most,
            self._top_hp, me.mana / sim.max_mana[self._agent], self._top_mana, len(sight.bag) / BAG, progress,
            new / (new + 8), ok, failed, min(hurt / self._most, 1.0), 0.0 if sight.awake else 1.0,
            float(me.status == ACTIVE), east, west, south, north,
        )  # fmt: skip
        _put(memory, at["status"], status)
        if sim.setup.growth:
            levels = [0.0] * len(SKILLS)
            for skill, level in view.levels().items():
                levels[_SKILL_PLACE[skill]] = min(level / _TOP_LEVEL, 1.0)
            _put(memory, at["skills"], levels)
        world = sim.world
        place = world.place_at(sight.x, sight.y)
        numbers = (
            self._agent + 1, ids.biome[world.terrain.biome_at(sight.x, sight.y)],
            ids.place[place.key] if place is not None else 0, tool, len(sim.names),
        )  # fmt: skip
        _put_ids(memory, at["ids"], numbers)
        worn = me.worn
        if worn:
            _put_ids(memory, at["worn_items"], [ids.item[worn[s][0]] if s in worn else 0 for s in SLOTS])

    def _bag(self, memory: memoryview, sight: Sight) -> None:
        ids, at, items = self._layout.ids.item, self._layout.at, self._sim.world.items
        rows: Rows = []
        numbers: list[int] = []
        inventory, one = at["inventory"], _floats(1)
        for item, units in sight.bag:
            kind, number = items[item], ids[item]
            share = units / (units + 8)
            one.pack_into(memory, inventory + 4 * (number - 1), share)
            rows += (
                share,
                kind.slot is not None,
                kind.heal_hp > 0,
                kind.heal_mana > 0,
                kind.tool is not None,
            )
            numbers.append(number)
        _put(memory, at["bag"], rows)
        _put_ids(memory, at["bag_items"], numbers)
        if sight.crafts:
            _put(memory, at["crafts"], [row.most / 10 for row in sight.crafts])
            _put_ids(memory, at["craft_items"], [ids[row.item] for row in sight.crafts])

    def _entities(self, memory: memoryview, sight: Sight) -> None:
        sim, ids, at, x, y = self._sim, self._layout.ids, self._layout.at, sight.x, sight.y
        rules = sim.rules
        rows: Rows = []
        numbers: list[int] = []
        nodes = sim.world.nodes
        for distance, number, able, more in sight.nodes:
            node = nodes[number]
            rows += ((node.x - x) / _SIGHT, (node.y - y) / _SIGHT, distance / _SIGHT, able, more / (more + 8))
            numbers.append(ids.node[node.kind])
        _put(memory, at["nodes"], rows)
        _put_ids(memory, at["node_kinds"], numbers)
        if sight.mobs:
            rows, numbers = [], []
            for mob in sight.mobs:
                rows += self._mob(mob, sight)
                numbers.append(ids.mob[sim.spec(mob.number).kind])
            _put(memory, at["mobs"], rows)
            _put_ids(memory, at["mob_kinds"], numbers)
        if sight.people:
            self._people(memory, sight)
        if sight.portals:
            rows = []
            for distance, portal in sight.portals:
                reach = distance <= rules.portal_reach
                rows += ((portal.x - x) / _SIGHT, (portal.y - y) / _SIGHT, distance / _SIGHT, reach)
            _put(memory, at["portals"], rows)
            _put_ids(memory, at["portal_ids"], [ids.portal[portal.id] for _, portal in sight.portals])
        if sight.ground:
            rows = []
            for thing in sight.ground:
                reach, units = thing.distance <= rules.pickup_reach, thing.units
                dx, dy = thing.x - x, thing.y - y
                rows += (dx / _SIGHT, dy / _SIGHT, thing.distance / _SIGHT, units / (units + 8), reach)
            _put(memory, at["ground"], rows)
            _put_ids(memory, at["ground_items"], [ids.item[thing.item] for thing in sight.ground])

    def _mob(self, mob: SeenMob, sight: Sight) -> Rows:
        spec, name = self._sim.spec(mob.number), sight.view.name
        return [
            (mob.x - sight.x) / _SIGHT, (mob.y - sight.y) / _SIGHT, mob.distance / _SIGHT,
            min(spec.level / _TOP_LEVEL, 1.0), mob.hp / spec.hp, spec.hp / (spec.hp + 1000), spec.temper != "no",
            mob.target == name, mob.target not in ("", name), min(spec.team / 4, 1.0),
        ]  # fmt: skip

    def _people(self, memory: memoryview, sight: Sight) -> None:
        ids, at, x, y = self._layout.ids, self._layout.at, sight.x, sight.y
        reach = self._sim.rules.transfer_reach
        rows: Rows = []
        numbers: list[int] = []
        for k, (distance, person, trades) in enumerate(sight.people):
            rows += ((person.x - x) / _SIGHT, (person.y - y) / _SIGHT, distance / _SIGHT, distance <= reach)
            numbers += (_ROLE_NUMBER[person.role], ids.person.get(person.id, 0))
            if trades:
                amounts: Rows = []
                goods: list[int] = []
                for take, units, give, gives in trades:
                    amounts += (units / (units + 8), gives / (gives + 8))
                    goods += (ids.item[take], ids.item[give] if give else 0)
                _put(memory, at["trades"] + 4 * k * 2 * TRADES, amounts)
                _put_ids(memory, at["trade_items"] + 4 * k * 2 * TRADES, goods)
        _put(memory, at["people"], rows)
        _put_ids(memory, at["person_kinds"], numbers)

    def _team(self, memory: memoryview, sight: Sight) -> None:
        sim, ids, at, x, y = self._sim, self._layout.ids.item, self._layout.at, sight.x, sight.y
        seen = {i: distance for distance, _, i in sight.mates}
        rows: Rows = []
        numbers: list[int] = []
        for i in self._mates:
            distance = seen.get(i)
            if distance is None:
                rows += _OUT_OF_SIGHT
                numbers += (0, 0)
                continue
            mate = sim.state.agents[i]
            band = 4 * mate.hp // sim.max_hp[i]
            rows += (
                1.0, 1.0, (mate.x - x) / _SIGHT, (mate.y - y) / _SIGHT, distance / _SIGHT, min(band, 3) / 4 + 0.25
                if mate.status == ACTIVE else 0.0, mate.asleep > 0, mate.status == DEAD, mate.status == LEFT,
            )  # fmt: skip
            worn = mate.worn
            numbers += (
                ids[worn["weapon"][0]] if "weapon" in worn else 0,
                ids[worn["armour"][0]] if "armour" in worn else 0,
            )
        _put(memory, at["mates"], rows)
        _put_ids(memory, at["mate_items"], numbers)

    def _goals(self, memory: memoryview, sight: Sight) -> None:
        held = dict(sight.bag)
        rows: Rows = []
        for goal in self._brief.goals:
            have = held.get(goal.item, 0)
            rows += (goal.need / (goal.need + 8), goal.mine, min(have / goal.need, 1.0))
        _put(memory, self._layout.at["goals"], rows)

    def _messages(self, memory: memoryview, sight: Sight) -> None:
        sim, ids, at = self._sim, self._layout.ids, self._layout.at
        rows: Rows = []
        numbers: list[int] = []
        first_new = len(sight.messages) - sight.new_messages
        for k, message in enumerate(sight.messages):
            words = read_words(message.text)
            age, dx, dy = sim.state.round - message.round, 0.0, 0.0
            if 0 <= words.x < WIDTH and 0 <= words.y < HEIGHT:
                dx, dy = (words.x - sight.x) / _FAR, (words.y - sight.y) / _FAR
            count = words.units
            rows += (age / (age + 8), k >= first_new, message.channel == "local", count / (count + 8), dx, dy)
            number = sim.mob_number(words.target) if words.target else None
            mob = ids.mob[sim.spec(number).kind] if number is not None else 0
            sender, topic = self._number[message.agent], _TOPIC_NUMBER[words.topic]
            numbers += (sender, topic, ids.item.get(words.item, 0), mob)
        _put(memory, at["messages"], rows)
        _put_ids(memory, at["message_ids"], numbers)


_OUT_OF_SIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


def _put(memory: Any, place: int, rows: Any) -> None:
    _floats(len(rows)).pack_into(memory, place, *rows)


def _put_ids(memory: Any, place: int, numbers: Any) -> None:
    _ints(len(numbers)).pack_into(memory, place, *numbers)
