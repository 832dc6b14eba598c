from __future__ import annotations

import numpy as np
import pytest

from agentworld_env.world.generate.noise import (
    fractal_noise,
    hash_grid,
    hash_int,
    mix,
    ridged_noise,
    value_noise,
)


def test_mixing_zero_gives_the_first_output_of_splitmix64() -> None:
    assert int(mix(np.zeros(1, dtype=np.uint64))[0]) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("noise", [fractal_noise, ridged_noise])
def test_noise_is_an_integer_of_ten_bits(noise: object) -> None:
    field = noise(3, 16, 3, 70, 50)  # type: ignore[operator]
    assert field.shape == (50, 70)
    assert field.dtype == np.int64
    assert 0 <= field.min() < field.max() <= 1023


def test_noise_of_another_stream_differs() -> None:
    assert (hash_grid(1, 20, 20) != hash_grid(2, 20, 20)).mean() > 0.9
    assert hash_int(1, 5, 6) != hash_int(1, 6, 5)


def test_noise_at_a_tile_does_not_depend_on_the_size_of_the_map() -> None:
    assert (value_noise(7, 8, 40, 30)[:20, :20] == value_noise(7, 8, 20, 20)).all()


def test_smooth_noise_passes_through_its_lattice_and_changes_little_between_neighbours() -> None:
    field = value_noise(4, 16, 64, 64)
    assert (field[::16, ::16] == hash_grid(4, 6, 6)[:4, :4]).all()
    # The easing curve is steepest in the middle, at 3/2 of the mean slope.
    assert np.abs(np.diff(field, axis=1)).max() <= 1023 * 3 // 2 // 16 + 2
