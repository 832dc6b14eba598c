"""Every number of the rules, with its source, in one frozen table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """Numbers that decide episodes. Distances are Manhattan tiles; chances are in thousandths.

    Attributes:
        path_limit: Longest walk of one call (tiles of path). Design of the tool set.
        sight_nodes: How far resource nodes are seen (tiles). Published.
        sight_people: How far team-mates, people, ground items and portals are seen (tiles). Own choice: as
            far as nodes, so that one figure serves for all that stands still.
        sight_mobs: How far mobs are seen (tiles). Published.
        gather_reach: How near one must stand to harvest (tiles). Own choice: beside the node, which
            may block its tile.
        portal_reach: How near one must stand to enter a portal (tiles). Own choice: the mouth
            and the tiles around it, so that nobody who stands there blocks it.
        pickup_reach: How near one must stand to pick something up (tiles). Own choice: an arm's
            length, so that loot of a fight mostly lies at hand and that of others does not.
        transfer_reach: How near giver and receiver must be (tiles). Design of the tool set.
        speech_reach: How far speech carries (tiles). Design of the tool set.
        exchanges: Most exchanges of blows in one attack call. Own choice: one round of ten seconds.
        hit_base: Chance to hit at equal ratings. Own choice: somewhat better than a coin, so that
            fights between equals end within a call or two.
        hit_slope: Change of that chance per point of rating. Own choice: some 50 points lead from even to
            almost certain or to hopeless, so that a level is felt and none decides alone.
        hit_floor: Least chance to hit. Own choice: whoever strikes may hit, so that no fight is
            decided before it begins.
        hit_ceiling: Greatest chance to hit. Own choice: whoever strikes may miss, so that no fight
            can be reckoned out in advance.
        mob_stride: Tiles a mob walks towards its target in one exchange. Own choice: it closes in on
            an archer within a call of ten exchanges, but not at once, so that reach is worth something.
        mob_chase: Tiles a mob walks in the world's turn. Own choice: about a tenth of what an agent
            walks, so that one can run from a fight.
        mob_strikes: Strikes of a mob in the world's turn if it exchanged no blows in the round. Own
            choice: half of a full fight, so that ignoring a mob hurts, and less than fighting it.
        leash: How far from home a mob follows (tiles); beyond, it turns back and regains everything. Creatures of
            waves follow as far as they seek, if that is farther. Own choice: well within
            sight, so that a mob can be drawn away from a place but not across the land.
        pursuit: How far away its prey may be for a mob to stay after it (tiles); beyond, it goes home and regains
            everything. Own choice: twice the leash, the most that lies between two who are both within it.
        calm_rounds: First rounds in which nothing notices those who walk by. Own choice: nobody chose where the team
            starts, and some published starts lie beside a boss.
        temper_factor: An aggressive mob leaves agents alone whose combat level exceeds so many times its own.
            Own choice: after the published engine's habit.
        regain: Hit points and mana regained per round without fighting. 0.5 % every 7 s (published), 10 s a
            round.
        regain_least: Hit points and mana regained per round at least. Own choice: else beginners, of whose few points
            a share is less than one, would never recover.
        sleep_factor: So many times faster for a sleeper. Own choice: sleep costs turns and is broken by
            damage, so that it must be worth more than waiting.
        top_level: Highest level that experience leads to, in tasks with growth. Own choice: above
            everything that a node, recipe or thing to wear asks for.
        bag_kinds: Kinds of items a bag holds; stacks are unlimited. Published 25 slots.
        message_limit: Longest message (characters); the rest is cut. Own choice: a few
            sentences, so that plans fit and no message crowds out the observation of others.
        messages_kept: So many older messages are shown besides the new ones. Own choice: about what a
            team of ten says in a round; it bounds the observation.
        sleep_limit: Longest sleep of one call (rounds). Own choice: as long as a short rest, so that
            nobody sleeps through an episode by one call.
        jitter: How far the seed moves agents and common mobs from their places (tiles). Own
            choice: enough that no recorded path fits another seed, too little to change who is near what.
        start_depleted: Chance that a node is depleted at the start. Own choice: one in ten, so that
            plans must look at the land, and no place is bare.
        start_delay: Longest such wait (rounds). Own choice: the published respawn of resources, 30 s.
    """

    path_limit: int = 120
    sight_nodes: int = 64
    sight_people: int = 64
    sight_mobs: int = 50
    gather_reach: int = 1
    portal_reach: int = 2
    pickup_reach: int = 2
    transfer_reach: int = 8
    speech_reach: int = 16
    exchanges: int = 10
    hit_base: int = 600
    hit_slope: int = 8
    hit_floor: int = 200
    hit_ceiling: int = 950
    mob_stride: int = 2
    mob_chase: int = 12
    mob_strikes: int = 5
    leash: int = 24
    pursuit: int = 48
    calm_rounds: int = 1
    temper_factor: int = 2
    regain: int = 7
    regain_least: int = 1
    sleep_factor: int = 3
    top_level: int = 135
    bag_kinds: int = 25
    message_limit: int = 500
    messages_kept: int = 10
    sleep_limit: int = 5
    jitter: int = 3
    start_depleted: int = 100
    start_delay: int = 3


RULES = Rules()
"""The rules of every published task."""


def max_hp(health: int) -> int:
    """Returns the most hit points at a health level: 39 + 30 x level (published)."""
    return 39 + 30 * health


def max_mana(magic: int) -> int:
    """Returns the most mana at a magic level: 20 + 24 x level (published)."""
    return 20 + 24 * magic


def max_strike(bonus: int, level: int) -> int:
    """Returns an agent's greatest damage per strike: 1.25 x (bonus + level) + 5, rounded down (published)."""
    return (5 * (bonus + level)) // 4 + 5


def mob_max_strike(attack: int) -> int:
    """Returns a mob's greatest damage per strike: 2.5 x its attack level, rounded down (published)."""
    return (5 * attack) // 2


def combat_level(skills: dict[str, int], combat_skills: tuple[str, ...]) -> int:
    """Returns 1 plus the combat skill levels above 1 (own choice: a fresh agent has level 1)."""
    return 1 + sum(max(skills.get(skill, 1) - 1, 0) for skill in combat_skills)
