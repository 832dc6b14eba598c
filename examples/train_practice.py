"""Trains one policy, shared by all agents of a practice task, by masked PPO (MaskablePPO of sb3-contrib).

    pip install -e ".[rl]"
    python examples/train_practice.py
    python examples/train_practice.py --seeds 3 --csv learning.csv --plot learning.png
    python examples/train_practice.py --save models/ --record runs/
    agentworld-env replay runs/p03_small_bowl-ppo0-seed1000000.jsonl --out page.html

Every agent of every episode is one slot of a vector environment; all slots share one network, which sees its agent's
features and mask and knows its role from them. The team's reward is each agent's reward. Success is measured on seeds
that are not trained on. ``load_policy`` makes a saved network a policy that plays wherever policies play.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import signal
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

if __name__ == "__mp_main__":
    # A process that trains one seed: Ctrl-C ends it without a word; the one that started it says so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import agentworld_env
from agentworld_env.cli.folders import check_file, check_folder

MISSING = ""
try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
    from stable_baselines3.common.vec_env import VecEnv
    from torch import Tensor, nn
except ImportError as error:
    # Said in one line by main(), once the command line has been read.
    MISSING = str(error)
    BaseFeaturesExtractor = VecEnv = object

EVALUATION_SEED = 1_000_000
# What the network sees besides the mask, which tells much: what is in reach, can be made, can be given to whom.
FIELDS = ["status", "skills", "goals", "nodes", "node_kinds", "bag", "bag_items", "mates"]
FIELDS += ["people", "landmarks", "crafts"]


class Body(BaseFeaturesExtractor):
    """The first layer, which policy and value share."""

    def __init__(self, space: spaces.Box, width: int = 128) -> None:
        super().__init__(space, width)
        self.layers = nn.Sequential(nn.Linear(space.shape[0], width), nn.Tanh())

    def forward(self, seen: Tensor) -> Tensor:
        return self.layers(seen)


def read(fields: dict[str, Any], mask: np.ndarray, scale: dict[str, np.float32]) -> np.ndarray:
    """Returns features and mask as the network wants them: a row per agent."""
    rows = [(fields[name] / top).reshape(len(mask), -1) for name, top in scale.items()]
    return np.concatenate([*rows, mask], axis=1, dtype=np.float32)


def scale_of(space: spaces.Dict) -> dict[str, np.float32]:
    """Returns the greatest value of each field that the network sees."""
    return {name: np.float32(space[name].high.max()) for name in FIELDS}


class Team(VecEnv):
    """Stable-Baselines3's view of ``agentworld_env.vector``: a row per agent, its features and mask as one vector."""

    def __init__(self, task: str, episodes: int, seed: int) -> None:
        self.render_mode = None
        self.games = agentworld_env.vector(task, episodes, autoreset="same_step")
        self.first_seed = seed
        spaces_of = self.games.single_observation_space["observation"]
        self.scale = scale_of(spaces_of)
        menu = self.games.single_action_space
        length = int(sum(np.prod(spaces_of[name].shape) for name in FIELDS) + menu.n)
        super().__init__(self.games.num_envs, spaces.Box(-1, 1, (length,), np.float32), menu)

    def reset(self) -> np.ndarray:
        return self.read(self.games.reset(seed=self.first_seed)[0])

    def read(self, seen: dict[str, Any]) -> np.ndarray:
        self.mask = seen["action_mask"].astype(bool)
        return read(seen["observation"], self.mask, self.scale)

    def step_async(self, actions: np.ndarray) -> None:
        self.chosen = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        seen, rewards, terminated, truncated, self.told = self.games.step(self.chosen)
        # The round budget is part of the task and of the features: its end is an end, nothing is to be expected after.
        return self.read(seen), rewards.astype(np.float32), terminated | truncated, [{}] * self.num_envs

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        assert method_name == "action_masks"
        return list(self.mask)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self, attr_name)] * self.num_envs

    def action_masks(self) -> np.ndarray:
        return self.mask

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise NotImplementedError

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * self.num_envs

    def close(self) -> None:
        self.games.close()


def evaluate(model: MaskablePPO, team: Team, episodes: int) -> tuple[float, float]:
    """Returns the shares of success and of checkpoints over the first episode of each game, played as trained."""
    seen = team.reset()
    success, psr = np.full(episodes, np.nan), np.full(episodes, np.nan)
    while np.isnan(success).any():
        actions, _ = model.predict(seen, action_masks=team.mask)
        team.step_async(actions)
        seen = team.step_wait()[0]
        if "success" in team.told:
            for game in np.flatnonzero(np.isnan(success)):
                slot = team.games.slots(game).start
                if team.told["_success"][slot]:
                    success[game], psr[game] = team.told["success"][slot], team.told["psr"][slot]
    return round(float(success.mean()), 4), round(float(psr.mean()), 4)


def policy_of(model: MaskablePPO, name: str) -> agentworld_env.DiscretePolicy:
    """Returns a network as a policy for ``run_episode`` and all else; it draws its actions, as in training."""
    probe = agentworld_env.make("p03_small_bowl", observation="features", action="discrete")
    scale = scale_of(probe.observation_space(probe.possible_agents[0])["observation"])

    def choose(observation: dict[str, Any]) -> int:
        mask = observation["action_mask"][None].astype(bool)
        fields = {name: observation["observation"][name][None] for name in FIELDS}
        return model.predict(read(fields, mask, scale), action_masks=mask)[0].item()

    # A record knows its network by the settings, and the same seed gives the same episode again.
    told = {"network": fingerprint(model)}
    return agentworld_env.DiscretePolicy(choose, name=name, begin=torch.manual_seed, settings=told)


def fingerprint(model: MaskablePPO) -> str:
    """Returns a hash of a network's parameters: another network has another one."""
    digest = hashlib.blake2b(digest_size=8)
    for name, values in model.policy.state_dict().items():
        digest.update(f"{name} {tuple(values.shape)} {values.dtype} ".encode())
        digest.update(values.cpu().numpy().tobytes())
    return digest.hexdigest()


def record_episode(task: str, policy: agentworld_env.DiscretePolicy, folder: Path) -> None:
    """Records an episode; like a saved network, the record of a network that was trained before makes way for it."""
    with tempfile.TemporaryDirectory(dir=folder) as aside:
        episode = agentworld_env.run_episode(task, policy, seed=EVALUATION_SEED, out=aside)
        path = folder / Path(episode.path).name
        os.replace(episode.path, path)
    print(f"success {episode.verdict.success} in {path}", flush=True)


def load_policy(path: str | Path, name: str = "ppo") -> agentworld_env.DiscretePolicy:
    """Returns a saved network as a policy."""
    torch.set_num_threads(
        1
    )  # the last bits of sums, and with them what is drawn, differ with the number of threads
    kept = {"policy_kwargs": network()}  # this file's own classes
    return policy_of(MaskablePPO.load(path, device="cpu", custom_objects=kept), name)


def network() -> dict[str, Any]:
    return {"features_extractor_class": Body, "net_arch": [128]}


def train(
    task: str, seed: int, steps: int, every: int, evaluated: int, save: Path | None, record: Path | None
) -> list[dict[str, Any]]:
    """Trains from scratch on so many turns of single agents; returns a row per evaluation, the untrained one first."""
    torch.set_num_threads(1)  # the network is small: one process per core learns faster than two threads
    games = 32
    team, examination = Team(task, games, seed * 10_000), Team(task, evaluated, EVALUATION_SEED)
    kwargs = network()
    rollout = {"n_steps": 32, "batch_size": 512, "n_epochs": 4}
    rates = {"learning_rate": 7e-4, "ent_coef": 0.005, "gamma": 0.98}
    model = MaskablePPO("MlpPolicy", team, seed=seed, device="cpu", policy_kwargs=kwargs, **rollout, **rates)
    rows: list[dict[str, Any]] = []
    wall, cpu = time.perf_counter(), time.process_time()
    while True:
        success, psr = evaluate(model, examination, evaluated)
        row = {"task": task, "seed": seed, "steps": model.num_timesteps, "success": success, "psr": psr}
        row["seconds"] = round(time.perf_counter() - wall, 1)
        row["cpu_seconds"] = round(time.process_time() - cpu, 1)
        rows.append(row)
        print(" ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        if model.num_timesteps >= steps:
            if save:
                model.save(save / f"{task}-seed{seed}.zip")
            if record:
                record_episode(task, policy_of(model, f"ppo{seed}"), record)
            return rows
        model.learn(every * 32 * team.num_envs, reset_num_timesteps=False)


def plot(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """Draws success over turns: every seed, their mean, and the spread between the least and the greatest."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    seeds = sorted({row["seed"] for row in rows})
    curves = np.array([[row["success"] for row in rows if row["seed"] == seed] for seed in seeds])
    steps = [row["steps"] for row in rows if row["seed"] == seeds[0]]
    figure, axes = pyplot.subplots(figsize=(7, 4), layout="constrained")
    axes.fill_between(steps, curves.min(0), curves.max(0), alpha=0.2, label="least to greatest")
    for curve in curves:
        axes.plot(steps, curve, color="tab:blue", alpha=0.3, linewidth=0.8)
    axes.plot(steps, curves.mean(0), color="tab:blue", label=f"mean of {len(seeds)} seeds")
    axes.axhline(0.8, color="grey", linestyle=":", label="0.8")
    axes.set(xlabel="turns of single agents", ylabel="success on unseen seeds", ylim=(-0.02, 1.02))
    axes.set_title(f"{rows[0]['task']}: one policy for the whole team, masked PPO")
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a shared policy on a practice task.")
    parser.add_argument("--task", default="p03_small_bowl")
    parser.add_argument("--seeds", type=int, default=1, help="train so many times, with seeds 0, 1, ...")
    parser.add_argument("--processes", type=int, default=2, help="seeds trained at the same time")
    parser.add_argument("--steps", type=int, default=150_000, help="turns of single agents, per seed")
    parser.add_argument("--every", type=int, default=5, help="updates between evaluations")
    parser.add_argument("--evaluated", type=int, default=64, help="episodes of an evaluation")
    parser.add_argument("--csv", type=Path, help="write the figures there")
    parser.add_argument("--plot", type=Path, help="draw the curve there, as PNG")
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the trained networks there")
    parser.add_argument("--record", type=Path, metavar="DIR", help="record an episode of each network there")
    chosen = parser.parse_args()
    # What would fail after minutes, or once in every process, is refused now.
    if min(chosen.seeds, chosen.processes, chosen.steps, chosen.every, chosen.evaluated) < 1:
        parser.error("all numbers must be at least 1")
    if chosen.plot and chosen.plot.suffix.lower() != ".png":
        parser.error(f"{chosen.plot}: expected a name that ends in .png")
    try:
        for path in filter(None, (chosen.csv, chosen.plot)):
            if path.is_dir():
                parser.error(f"{path} is a directory; expected the name of a file")
            check_file(path)
        for path in filter(None, (chosen.save, chosen.record)):
            check_folder(path)
        agentworld_env.make(chosen.task, observation="features", action="discrete")
    except agentworld_env.AgentWorldError as error:
        parser.error(str(error))
    missing = MISSING or (
        "No module named 'matplotlib'" if chosen.plot and not find_spec("matplotlib") else ""
    )
    if missing:
        parser.error(f"training needs the extra rl ({missing}); in a checkout: pip install -e '.[rl]'")
    for path in filter(None, (chosen.save, chosen.record)):
        path.mkdir(parents=True, exist_ok=True)
    one = partial(
        train,
        chosen.task,
        steps=chosen.steps,
        every=chosen.every,
        evaluated=chosen.evaluated,
        save=chosen.save,
        record=chosen.record,
    )
    try:
        with ProcessPoolExecutor(chosen.processes, get_context("spawn")) as pool:
            rows = [row for curve in pool.map(one, range(chosen.seeds)) for row in curve]
    except KeyboardInterrupt:
        parser.exit(130, "interrupted: no figures were written\n")
    # As the package's own commands do: what is to be written is made together with its directories.
    for path in filter(None, (chosen.csv, chosen.plot)):
        path.parent.mkdir(parents=True, exist_ok=True)
    if chosen.csv:
        with chosen.csv.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    if chosen.plot:
        plot(rows, chosen.plot)


if __name__ == "__main__":
    main()
