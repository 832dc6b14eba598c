"""Writing what an agent sees into a block of bytes. No text is built on the way."""

from __future__ import annotations

from typing import Any

from agentworld_env.env.features.brief import AgentBrief
from agentworld_env.env.features.ids import TOPICS
from agentworld_env.env.features.layout import BAG, Layout
from agentworld_env.env.features.pack import put, put_ids
from agentworld_env.env.features.sight import Sight
from agentworld_env.env.features.spot import put_trades
from agentworld_env.env.words import read_words
from agentworld_env.sim.events import Hurt
from agentworld_env.sim.simulation import Simulation
from agentworld_env.sim.state import ACTIVE, DEAD, LEFT
from agentworld_env.tools import TOOLS
from agentworld_env.world.catalogue import SKILLS, SLOTS
from agentworld_env.world.geometry import HEIGHT, WIDTH

_TOP_LEVEL = 135
_SIGHT = 64
_FAR = 1056

_TOOL_NUMBER = {name: number for number, name in enumerate(TOOLS, 1)}
_TOPIC_NUMBER = {topic: number for number, topic in enumerate(TOPICS, 1)}
_SKILL_PLACE = {skill: place for place, skill in enumerate(SKILLS)}


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
        self._mates = tuple([i for i in range(len(sim.names)) if i != agent])
        self._most = sim.max_hp[agent]
        self._figures = (
            sim.max_hp[agent] / (sim.max_hp[agent] + 1000), sim.max_mana[agent] / (sim.max_mana[agent] + 1000),
        )  # fmt: skip
        self._number = {name: i for i, name in enumerate(sim.names, 1)}
        self._growth = sim.setup.growth
        self._understood: dict[str, tuple[int, int, int, float, int, int]] = {}
        self._figures_of: dict[int, tuple[int, int, float, float, bool, float]] = {}
        self._constant = self._unchanging(brief)

    def _unchanging(self, brief: AgentBrief) -> bytes:
        """Returns a block that holds what never changes within a task."""
        layout, ids = self._layout, self._layout.ids
        block = bytearray(layout.size)
        skills = [self._sim.skills[self._agent].get(skill, 0) / _TOP_LEVEL for skill in SKILLS]
        put(block, layout.at["skills"], skills)
        put_ids(block, layout.at["wanted_items"], [ids.item[item] for item in brief.wanted])
        numbers: list[int] = []
        for goal in brief.goals:
            numbers += (goal.kind, ids.item.get(goal.item, 0), goal.mob)
        put_ids(block, layout.at["goal_ids"], numbers)
        return bytes(block)

    def fill(self, block: Any, sight: Sight, progress: float, max_rounds: int) -> None:
        """Writes an agent's features.

        Args:
            block: A writable buffer of bytes, ``Layout.size`` long; what it held is overwritten.
            sight: What the agent sees.
            progress: Reward paid to the agent so far, shaping apart.
            max_rounds: Round budget.
        """
        layout = self._layout
        memory = memoryview(block)
        memory[:] = self._constant
        memory[layout.of_bag] = sight.pouch.block
        memory[layout.of_tile] = sight.spot.block
        self._status(memory, sight, progress, max_rounds)
        if sight.mobs:
            self._creatures(memory, sight)
        if self._mates:
            self._team(memory, sight)
        for k in sight.spot.changing:
            put_trades(memory, layout, k, sight.trades[k])
        if sight.ground:
            self._ground(memory, sight)
        if sight.messages:
            self._messages(memory, sight)

    def _status(self, memory: memoryview, sight: Sight, progress: float, max_rounds: int) -> None:
        sim, view, at, spot = self._sim, sight.view, self._layout.at, sight.spot
        me, round_, most = view._me, sim.state.round, self._most
        last, tool, ok, failed, hurt = me.last, 0, 0.0, 0.0, 0
        if last is not None:
            tool = _TOOL_NUMBER.get(last.tool, 0)
            ok, failed = (1.0, 0.0) if last.result.ok else (0.0, 1.0)
            for event in sim.whereabouts.befell(self._agent, last.end):
                if type(event) is Hurt and event.agent == view._name:
                    hurt += event.damage
        left, new = max(max_rounds - round_ + 1, 0), sight.new_messages
        top_hp, top_mana = self._figures
        put(
            memory,
            at["status"],
            (
                min(round_ / max_rounds, 1.0), left / (left + 8), sight.x / WIDTH, sight.y / HEIGHT, me.hp / most,
                top_hp, me.mana / sim.max_mana[self._agent], top_mana, len(sight.pouch.content) / BAG, progress,
                new / (new + 8), ok, failed, min(hurt / most, 1.0), not sight.awake, sight.acts, *spot.free,
            ),
        )  # fmt: skip
        if self._growth:
            levels = [0.0] * len(SKILLS)
            for skill, level in view.levels().items():
                levels[_SKILL_PLACE[skill]] = min(level / _TOP_LEVEL, 1.0)
            put(memory, at["skills"], levels)
        put_ids(memory, at["ids"], (self._agent + 1, spot.biome, spot.place, tool, len(sim.names)))
        worn = sight.worn
        if worn:
            ids = self._layout.ids.item
            put_ids(memory, at["worn_items"], [ids[worn[slot]] if slot in worn else 0 for slot in SLOTS])

    def _creatures(self, memory: memoryview, sight: Sight) -> None:
        at, x, y, name, known = self._layout.at, sight.x, sight.y, sight.view._name, self._figures_of
        rows: list[float] = []
        kinds: list[int] = []
        for distance, number, mx, my, hp, target in sight.mobs:
            figures = known.get(number)
            if figures is None:
                figures = known[number] = self._figures_for(number)
            kind, most, level, size, hostile, team = figures
            mine = target == name
            rows += (
                (mx - x) / _SIGHT, (my - y) / _SIGHT, distance / _SIGHT, level, hp / most, size, hostile, mine,
                target != "" and not mine, team,
            )  # fmt: skip
            kinds.append(kind)
        put(memory, at["mobs"], rows)
        put_ids(memory, at["mob_kinds"], kinds)

    def _figures_for(self, number: int) -> tuple[int, int, float, float, bool, float]:
        """Returns what never changes of a creature: kind, hit points, level, size, whether it starts fights, team."""
        spec = self._sim.spec(number)
        size, level = spec.hp / (spec.hp + 1000), min(spec.level / _TOP_LEVEL, 1.0)
        return (
            self._layout.ids.mob[spec.kind],
            spec.hp,
            level,
            size,
            spec.temper != "no",
            min(spec.team / 4, 1.0),
        )

    def _team(self, memory: memoryview, sight: Sight) -> None:
        sim, ids, at, x, y = self._sim, self._layout.ids.item, self._layout.at, sight.x, sight.y
        rows: list[float] = list(_OUT_OF_SIGHT) * len(self._mates)
        numbers = [0] * (2 * len(self._mates))
        agents, max_hp = sim.state.agents, sim.max_hp
        for distance, row, number, mx, my, _ in sight.mates:
            other = agents[number]
            fit = 0.0
            if other.status == ACTIVE:
                # Four bands, as the text has them: near death, badly hurt, hurt, well.
                fit = min(4 * other.hp // max_hp[number] + 1, 4) / 4
            start, worn = 9 * row, other.worn
            rows[start + 1 : start + 9] = (
                1.0, (mx - x) / _SIGHT, (my - y) / _SIGHT, distance / _SIGHT, fit, other.asleep > 0,
                other.status == DEAD, other.status == LEFT,
            )  # fmt: skip
            if "weapon" in worn:
                numbers[2 * row] = ids[worn["weapon"][0]]
            if "armour" in worn:
                numbers[2 * row + 1] = ids[worn["armour"][0]]
        put(memory, at["mates"], rows)
        put_ids(memory, at["mate_items"], numbers)

    def _ground(self, memory: memoryview, sight: Sight) -> None:
        ids, at, x, y = self._layout.ids.item, self._layout.at, sight.x, sight.y
        reach = self._sim.rules.pickup_reach
        rows: list[float] = []
        for thing in sight.ground:
            units, distance = thing.units, thing.distance
            rows += ((thing.x - x) / _SIGHT, (thing.y - y) / _SIGHT, distance / _SIGHT)
            rows += (units / (units + 8), distance <= reach)
        put(memory, at["ground"], rows)
        put_ids(memory, at["ground_items"], [ids[thing.item] for thing in sight.ground])

    def _messages(self, memory: memoryview, sight: Sight) -> None:
        at, number, understood = self._layout.at, self._number, self._understood
        sx, sy, now = sight.x, sight.y, self._sim.state.round
        rows: list[float] = []
        numbers: list[int] = []
        first_new = len(sight.messages) - sight.new_messages
        for k, message in enumerate(sight.messages):
            known = understood.get(message.text)
            if known is None:
                known = self._understand(message.text)
            topic, item, mob, share, x, y = known
            age, dx, dy = now - message.round, 0.0, 0.0
            if x >= 0:
                dx, dy = (x - sx) / _FAR, (y - sy) / _FAR
            rows += (age / (age + 8), k >= first_new, message.channel == "local", share, dx, dy)
            numbers += (number[message.agent], topic, item, mob)
        put(memory, at["messages"], rows)
        put_ids(memory, at["message_ids"], numbers)

    def _understand(self, text: str) -> tuple[int, int, int, float, int, int]:
        """Returns what a message says: numbers of topic, item and creature, share of units, and tile or -1, -1."""
        words, ids, sim = read_words(text), self._layout.ids, self._sim
        number = sim.mob_number(words.target) if words.target else None
        mob = 0 if number is None else ids.mob[sim.spec(number).kind]
        on_map = 0 <= words.x < WIDTH and 0 <= words.y < HEIGHT
        tile = (words.x, words.y) if on_map else (-1, -1)
        share = words.units / (words.units + 8)
        if len(self._understood) >= _REMEMBERED:
            self._understood.clear()
        known = (_TOPIC_NUMBER[words.topic], ids.item.get(words.item, 0), mob, share, *tile)
        self._understood[text] = known
        return known


_REMEMBERED = 512
_OUT_OF_SIGHT = (1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
