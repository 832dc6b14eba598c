"""The menu of discrete actions, and which of them are legal."""
