"""A run names the suites that its tasks belong to."""

from __future__ import annotations

from agentworld_env.evaluate.cast import Cast, read_members
from agentworld_env.evaluate.manifest import make_manifest


def suite(*tasks: str) -> str:
    cast = Cast(members=read_members("idle", []))
    return make_manifest(list(tasks), cast, {"name": "idle"}, trials=1, seed=0, setting=None).suite


def test_a_run_on_one_suite_names_it_with_its_version() -> None:
    assert suite("t01_magic_staff", "t02_arrow_production") == "agentworld-env-main-0.1"
    assert suite("t01_magic_staff_aug") == "agentworld-env-augmented-0.1"


def test_a_run_on_several_names_them_all() -> None:
    assert suite("t01_magic_staff", "t05_beryl_pendant~seed=8") == "agentworld-env-main-0.1, variant"
