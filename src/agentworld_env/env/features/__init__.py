"""What an agent sees as arrays of fixed size."""
