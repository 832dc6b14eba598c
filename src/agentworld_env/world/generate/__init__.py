"""Makes the map of the world from hand-made data: ``python -m agentworld_env.world.generate`` writes it anew."""
