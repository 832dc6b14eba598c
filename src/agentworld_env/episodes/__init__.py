"""Episodes: the record of a run, writing and reading it, playing it again, and checking it."""

from agentworld_env.episodes.canonical import canonical_call
from agentworld_env.episodes.ending import make_footer
from agentworld_env.episodes.opening import differences, make_header, played_spec, task_of
from agentworld_env.episodes.reader import Scan, read_episode, read_header, scan_episode
from agentworld_env.episodes.record import Episode, Footer, Header, TurnLine
from agentworld_env.episodes.resim import check_footer, replay_lines, resimulate, verify
from agentworld_env.episodes.turns import play_turn, skip_departed
from agentworld_env.episodes.usage import UsageLine, UsageWriter, is_usage, read_usage, usage_path
from agentworld_env.episodes.writer import EpisodeWriter

__all__ = [
    "Episode",
    "EpisodeWriter",
    "Footer",
    "Header",
    "Scan",
    "TurnLine",
    "UsageLine",
    "UsageWriter",
    "canonical_call",
    "check_footer",
    "differences",
    "is_usage",
    "make_footer",
    "make_header",
    "play_turn",
    "played_spec",
    "read_episode",
    "read_header",
    "read_usage",
    "replay_lines",
    "resimulate",
    "scan_episode",
    "skip_departed",
    "task_of",
    "usage_path",
    "verify",
]
