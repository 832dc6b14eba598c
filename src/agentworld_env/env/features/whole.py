"""What all agents see, as one array: the global state of learners that are trained together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

if TYPE_CHECKING:
    from agentworld_env.env.features.layout import Layout
    from agentworld_env.env.features.senses import Senses


def state_space(layout: Layout, agents: int) -> spaces.Box:
    """Returns the space of states.

    Args:
        layout: Where the fields of an observation lie.
        agents: Agents of the team.

    Returns:
        A box of shape (``agents``, numbers of an observation), ``float32``.
    """
    # By name, as Gymnasium orders the parts of a dict.
    fields = sorted(layout.fields, key=lambda field: field.name)
    sizes = [int(np.prod(field.shape)) for field in fields]
    low = np.repeat(np.array([field.low for field in fields], np.float32), sizes)
    high = np.repeat(np.array([field.high for field in fields], np.float32), sizes)
    return spaces.Box(np.tile(low, (agents, 1)), np.tile(high, (agents, 1)), dtype=np.float32)


def state(senses: Senses, agents: Sequence[str]) -> NDArray[np.float32]:
    """Returns what agents see at this moment, a row for each.

    Args:
        senses: Looks at the episode.
        agents: Ids of the agents, in the order of the rows.

    Returns:
        ``float32`` of shape (agents, numbers of an observation): each row is what ``gymnasium.spaces.flatten`` makes of
        the agent's features. Ids stay whole numbers.
    """
    rows = []
    for name in agents:
        features = senses.features(name)
        rows.append(np.concatenate([features[field].ravel() for field in sorted(features)]))
    return np.stack(rows).astype(np.float32)
