"""Runs the command as ``python -m agentworld_env.cli``."""

from agentworld_env.cli.main import main

main()
