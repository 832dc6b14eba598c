"""A policy of one's own: a scripted team that gathers, crafts and hands things to whoever stands near."""

from agentworld_env import run_episode


class Helpful:
    """Crafts when it can, gives its newest things away, gathers otherwise."""

    name = "helpful"
    wants_text = False

    def begin(self, briefs, seed):
        self.given = {agent: set() for agent in briefs}

    def act(self, turn):
        legal = turn.info["legal"]
        for arguments in legal.get("craft_item", ()):
            return {"tool": "craft_item", "arguments": arguments}
        for arguments in reversed(legal.get("transfer_items", ())):
            what = (arguments["item"], arguments["count"])
            if arguments["item"] not in ("flask", "apple") and what not in self.given[turn.agent]:
                self.given[turn.agent].add(what)
                return {"tool": "transfer_items", "arguments": arguments}
        for tool in ("harvest_resource", "sleep"):
            if tool in legal:
                return {"tool": tool, "arguments": legal[tool][0]}
        raise AssertionError("sleep is always legal")

    def recall(self, turn, decision):
        self.act(turn)

    def config(self):
        return {}


if __name__ == "__main__":
    for seed in range(3):
        episode = run_episode("t01_magic_staff", Helpful(), seed=seed)
        print(f"seed {seed}: success {episode.verdict.success}, PSR {episode.verdict.psr:.2f}")
