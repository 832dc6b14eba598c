"""The planner: a plan for any task from the full state, and the policy that plays it."""

from agentworld_env.planner.jobs import Plan
from agentworld_env.planner.plan import make_plan
from agentworld_env.planner.policy import PlannerPolicy, plan_text
from agentworld_env.planner.style import Style
from agentworld_env.planner.team import Team

__all__ = ["Plan", "PlannerPolicy", "Style", "Team", "make_plan", "plan_text"]
