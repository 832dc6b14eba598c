"""Policies of the user's own by name: what makes one, in a file or a module."""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from agentworld_env.errors import AgentWorldError, UnknownNameError, nearest, quoted
from agentworld_env.evaluate.blame import blamed_on
from agentworld_env.policies.protocol import BarePolicy, Policy, as_policy

_FORM = "a policy of one's own is python:FILE.py:NAME or python:MODULE:NAME"


def own_policy(place: str) -> Policy:
    """Returns a new policy by what a file or module offers under a name: a class, or a function without arguments.

    A file or module is run once per process; what makes policies is called for every episode, since several are
    played at once.

    Args:
        place: ``FILE.py:NAME`` or ``MODULE:NAME``.

    Raises:
        AgentWorldError: There is no such file, module or name, running it fails or ends the program, or what it offers
            is no policy.
    """
    source, name = _parts(place)
    if not (source and name):
        raise AgentWorldError(f"{_FORM}, not {quoted(f'python:{place}')}")
    module = _loaded(source, name)
    if not hasattr(module, name):
        known = [each for each in vars(module) if not each.startswith("_")]
        raise UnknownNameError(f"policy of {source}", name, known)
    offered: Any = getattr(module, name)
    if not callable(offered):
        raise AgentWorldError(
            f"{source}: {name} must be a class or a function that makes a policy, one for each episode; "
            f"it is {offered!r:.60}"
        )
    needed = _needed(offered)
    if needed:
        raise AgentWorldError(
            f"{source}: {name} is called without arguments to make a policy for each episode, but needs "
            f"{', '.join(needed)}; give defaults, or write a function without arguments that calls it"
        )
    try:
        made = offered()
    except AgentWorldError:
        raise
    except (Exception, SystemExit) as error:  # whatever the user's code does
        raise _fails(f"{source}: {name}()", error, module) from error
    return as_policy(cast(BarePolicy, made))


def anchored(place: str) -> str:
    """Returns what ``own_policy`` takes with the path of its file made absolute, so that it means one file anywhere."""
    source, name = _parts(place)
    return f"{Path(source).resolve()}:{name}" if source.endswith(".py") else place


def _parts(place: str) -> tuple[str, str]:
    source, _, name = place.rpartition(":")
    return source, name


def _needed(offered: Any) -> list[str]:
    """Returns the names of the arguments that cannot be left out."""
    try:
        parameters = inspect.signature(offered).parameters.values()
    except (TypeError, ValueError):  # of what is not written in Python nothing may be known
        return []
    flexible = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [each.name for each in parameters if each.default is each.empty and each.kind not in flexible]


def _loaded(source: str, name: str) -> ModuleType:
    """Returns a module by its name or file; what was loaded before is not run again."""
    if source.endswith(".py"):
        return _loaded_file(source)
    if not all(part.isidentifier() for part in source.split(".")):
        raise AgentWorldError(
            f"{quoted(source)} is neither a .py file nor the name of a module{_offer(source, name)}"
        )
    try:
        return import_module(source)
    except ModuleNotFoundError as error:
        if error.name is None or not (source == error.name or source.startswith(f"{error.name}.")):
            raise _fails(source, error) from error
        raise AgentWorldError(f"there is no module {quoted(source)}{_offer(source, name)}") from None
    except (Exception, SystemExit) as error:  # whatever the user's code does
        raise _fails(source, error) from error


def _offer(source: str, name: str) -> str:
    """Returns what to say about something that is no module: which file may be meant."""
    path = Path(f"{source}.py")
    if not path.is_file() and source.isidentifier():
        near = nearest(source, [other.stem for other in Path().glob("*.py")], 1)
        path = Path(f"{near[0]}.py") if near else path
    return f"; did you mean python:{path}:{name}?" if path.is_file() else f"; {_FORM}"


def _loaded_file(source: str) -> ModuleType:
    path = Path(source).resolve()
    name = f"agentworld_env_own:{path}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
    if path.is_dir():
        raise AgentWorldError(f"{source} is a directory; expected a file with Python code")
    if not path.is_file() or spec is None or spec.loader is None:
        known = [other.stem for other in path.parent.glob("*.py")] if path.parent.is_dir() else []
        near = nearest(path.stem, known)
        offered = f"did you mean {near[0]}.py?" if near else _FORM
        raise AgentWorldError(f"{source}: there is no such file; {offered}")
    module = module_from_spec(spec)
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # a script finds its neighbours, too
    # Before it is run, as imports do, so that its classes can be pickled and it may have dataclasses.
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if not isinstance(error, Exception | SystemExit):
            raise
        raise _fails(source, error, module) from error
    return module


def _fails(what: str, error: BaseException, module: ModuleType | None = None) -> AgentWorldError:
    place, said = blamed_on(error, getattr(module, "__file__", None))
    return AgentWorldError(f"{what}{place} cannot be used: {said}")
