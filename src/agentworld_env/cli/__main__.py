"""Runs the command as ``python -m agentworld_env.cli``."""

from agentworld_env.cli.entry import main

main()
