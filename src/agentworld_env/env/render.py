"""An episode's present moment, shown as ``render_mode`` says."""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
from gymnasium import logger

from agentworld_env.env.seen import condition
from agentworld_env.env.telling import call_text, outcome_text
from agentworld_env.sim.simulation import Simulation
from agentworld_env.verifiers import Verdict

RENDER_MODES = ("ansi", "human", "rgb_array")

Pixels = npt.NDArray[np.uint8]


def render(mode: str | None, sim: Simulation, verdict: Verdict, max_rounds: int) -> str | Pixels | None:
    """Returns the present moment as text or pixels, or prints the text.

    Args:
        mode: One of ``RENDER_MODES``; None shows nothing, with Gymnasium's warning.
        sim: The simulation.
        verdict: The present verdict.
        max_rounds: Round budget.

    Raises:
        AgentWorldError: Pixels are wanted, and pillow is missing.
    """
    if mode is None:
        logger.warn(
            "render() shows nothing without a render mode: give one when the environment is made, "
            "such as make(..., render_mode='ansi')"
        )
        return None
    if mode == "rgb_array":
        from agentworld_env.draw import scene

        return scene(sim, verdict, max_rounds)
    text = render_ansi(sim, verdict, max_rounds)
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    return None


def render_ansi(sim: Simulation, verdict: Verdict, max_rounds: int) -> str:
    """Returns where everybody is, what each did last, and how far the task has come.

    Args:
        sim: The simulation.
        verdict: The present verdict.
        max_rounds: Round budget.
    """
    state = sim.state
    lines = [f"Round {min(state.round, max_rounds)} of {max_rounds}, PSR {verdict.psr:.2f}"]
    for i, name in enumerate(sim.names):
        me = state.agents[i]
        turn = ">" if i == state.turn else " "
        what = ""
        if me.last is not None:
            events = state.events[me.last.first : me.last.end]
            outcome = outcome_text("", me.last.result, events)
            what = f" {call_text(me.last.tool, me.last.arguments)} -> {outcome}"
        lines.append(f"{turn} {name} ({me.x}, {me.y}) {me.hp}/{sim.max_hp[i]} {condition(sim, i)}{what}")
    lines.extend(f"  [{'x' if point.reached else ' '}] {point.text}" for point in verdict.checkpoints)
    return "\n".join(lines)
