"""The number of calls in flight: grows while all is well, yields when the endpoint is at its limit."""

from __future__ import annotations

import asyncio
import time

import pytest
from tests.policies.loopback import Answer, Loopback, failure, text

from agentworld_env.errors import ModelError
from agentworld_env.models import BudgetSpentError, ChatModel, Pace, Reply, ServiceError

HELLO = [{"role": "user", "content": "hello"}]


def run(answers: int, pace: Pace, seconds: float = 0.0) -> None:
    async def one() -> None:
        started = await pace.enter()
        await asyncio.sleep(seconds)
        pace.leave(started, answered=True)

    async def all_() -> None:
        await asyncio.gather(*(one() for _ in range(answers)))

    asyncio.run(all_())


def test_the_limit_grows_by_one_an_answer_up_to_the_most() -> None:
    pace = Pace(most=10, first=8)
    run(3, pace)
    assert pace.limit == 8  # three calls are not half of it
    run(40, pace, 0.001)
    assert pace.limit == 10


def test_a_burst_of_answers_doubles_the_limit_while_others_wait() -> None:
    pace = Pace(most=64, first=16)
    run(16 + 32 + 64, pace, 0.05)
    # Sixteen at once, then 32, then 64: three rounds of calls, in each of which every answer raises the limit by one.
    assert pace.limit == 64


def test_never_more_calls_are_in_flight_than_the_limit() -> None:
    pace = Pace(most=3, first=3)
    seen = []

    async def one() -> None:
        started = await pace.enter()
        seen.append(pace.in_flight)
        await asyncio.sleep(0.001)
        pace.leave(started, answered=True)

    async def all_() -> None:
        await asyncio.gather(*(one() for _ in range(30)))

    asyncio.run(all_())
    assert max(seen) == 3
    assert pace.in_flight == 0


def test_refusals_of_one_round_of_calls_halve_the_limit_once() -> None:
    pace = Pace(most=64, first=32)
    started = time.monotonic()
    for _ in range(5):
        pace.refused(started, None)
    assert pace.limit == 16
    pace.refused(time.monotonic() + 1, None)
    assert pace.limit == 8
    for k in range(9):
        pace.refused(time.monotonic() + 2 + k, None)
    assert pace.limit == 1  # one call is always allowed


def test_after_a_refusal_the_limit_grows_by_one_a_round_of_answers() -> None:
    pace = Pace(most=64, first=8)
    pace.refused(time.monotonic(), None)
    assert pace.limit == 4
    run(4, pace)
    assert 4.0 < pace.limit <= 5.0


def test_a_latency_that_rises_stops_the_growth() -> None:
    pace = Pace(most=64, first=2)
    pace.in_flight = 64  # the limit is always reached

    def answers(count: int, seconds: float) -> None:
        for _ in range(count):
            pace.leave(time.monotonic() - seconds, answered=True)

    answers(4, 0.002)
    before = pace.limit
    assert before == 6
    answers(16, 0.2)
    assert pace.limit <= before + 4  # the smoothed latency needs a few answers to show it


def test_everybody_waits_as_long_as_the_endpoint_asks() -> None:
    pace = Pace(most=4)
    pace.refused(time.monotonic(), 0.2)
    before = time.monotonic()
    run(1, pace)
    assert time.monotonic() - before >= 0.19


def test_a_waiter_that_gives_up_hands_its_place_on() -> None:
    async def scene() -> None:
        pace = Pace(most=1, first=1)
        first = await pace.enter()
        gives_up = asyncio.create_task(pace.enter())
        waits = asyncio.create_task(pace.enter())
        await asyncio.sleep(0)
        gives_up.cancel()
        pace.leave(first, answered=True)
        await asyncio.wait_for(waits, 1)
        assert pace.in_flight == 1

    asyncio.run(scene())


def test_a_waiter_that_gives_up_after_its_turn_has_come_hands_its_place_on() -> None:
    async def scene() -> None:
        pace = Pace(most=1, first=1)
        first = await pace.enter()
        gives_up = asyncio.create_task(pace.enter())
        waits = asyncio.create_task(pace.enter())
        await asyncio.sleep(0)
        pace.leave(first, answered=True)
        gives_up.cancel()
        await asyncio.wait_for(waits, 1)
        assert pace.in_flight == 1

    asyncio.run(scene())


def test_places_that_become_free_together_are_given_to_the_longest_waiting() -> None:
    order: list[int] = []

    async def scene() -> None:
        pace = Pace(most=3, first=3)

        async def one(number: int) -> None:
            started = await pace.enter()
            order.append(number)
            await asyncio.sleep(0.005)
            pace.leave(started, answered=True)

        await asyncio.gather(*(one(number) for number in range(12)))

    asyncio.run(scene())
    assert order == list(range(12))


def test_calls_without_a_reply_in_time_halve_the_limit() -> None:
    pace = Pace(most=8, first=8)
    with Loopback(Answer({}, hang=True), text("ok")) as server:
        assert ask(ChatModel(server.model, pace=pace, timeout=0.2)).text == "ok"
    assert pace.limit == 4


def test_pauses_double_unless_the_endpoint_says_how_long() -> None:
    assert [Pace().pause(k, None) for k in (1, 2, 3, 20)] == [0.5, 1.0, 2.0, 30.0]
    assert Pace().pause(1, 7.0) == 7.0
    assert Pace().pause(1, 1e9) == 120.0


def ask(model: ChatModel) -> Reply:
    async def once() -> Reply:
        try:
            return await model.complete(HELLO)
        finally:
            await model.close()

    return asyncio.run(once())


def test_a_paced_model_honours_retry_after_and_yields() -> None:
    pace = Pace(most=8, first=8)
    with Loopback(failure(429, "slow", Retry_After="0.2"), text("ok")) as server:
        assert ask(ChatModel(server.model, pace=pace)).text == "ok"
        first, second = (received.at for received in server.received)
    assert second - first >= 0.19
    assert pace.limit == 4
    assert (pace.in_flight, +pace.retrying) == (0, {})


@pytest.mark.parametrize(
    ("answer", "status", "transient"),
    [
        (failure(400, "no"), 400, False),
        (failure(401, "no"), 401, False),
        (failure(429, "no"), 429, True),
        (failure(500, "no"), 500, True),
        (Answer(b"<html>"), 0, True),
        (Answer({}, cut=True), 0, True),
        (Answer({}, hang=True), 0, True),
    ],
)
def test_a_failed_call_says_whether_trying_again_may_help(
    answer: Answer, status: int, transient: bool
) -> None:
    with Loopback(answer) as server, pytest.raises(ModelError) as caught:
        ask(ChatModel(server.model, pace=Pace(), retries=0, timeout=0.5))
    assert isinstance(caught.value, ServiceError)
    assert (caught.value.status, caught.value.transient) == (status, transient)


@pytest.mark.parametrize("asked", ["3600", "Fri, 31 Dec 9999 23:59:59 -2359"])
def test_nobody_waits_longer_than_is_allowed_however_far_off_the_endpoint_puts_it(asked: str) -> None:
    pace = Pace(longest_pause=0.3)
    assert Pace(longest_pause=1e9).longest_pause == Pace().longest_pause == 120.0
    with Loopback(failure(429, "slow", Retry_After=asked), text("ok")) as server:
        assert ask(ChatModel(server.model, pace=pace)).text == "ok"
        first, second = (received.at for received in server.received)
    assert 0.29 <= second - first < 60


def test_the_meter_is_asked_before_every_request_and_told_of_every_reply() -> None:
    class Two:
        def __init__(self) -> None:
            self.counted: list[tuple[str, int]] = []

        def allow(self) -> None:
            if len(self.counted) == 2:
                raise BudgetSpentError("two are enough")

        def count(self, label: str, reply: Reply) -> None:
            self.counted.append((label, reply.prompt_tokens))

    meter = Two()
    with Loopback(text("ok")) as server:
        model = ChatModel(server.model, meter=meter)
        ask(model)
        ask(model)
        with pytest.raises(BudgetSpentError):
            ask(model)
        assert len(server.received) == 2
    assert meter.counted == [("local:tester", 120)] * 2
