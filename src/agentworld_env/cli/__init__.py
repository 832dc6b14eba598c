"""The command ``agentworld-env``: one file per verb; every mistake of a user's is one line and exit code 2."""
