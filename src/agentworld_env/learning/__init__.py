"""At home in the libraries of reinforcement learning: many episodes at once, one learner among others, registries.

Nothing is imported here, so that registering tasks loads neither simulator nor tasks.
"""
