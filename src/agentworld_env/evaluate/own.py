"""Policies of the user's own by name: what makes one, in a file or a module."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from agentworld_env.errors import AgentWorldError, UnknownNameError, nearest, quoted
from agentworld_env.policies.protocol import BarePolicy, Policy, as_policy

_FORM = "a policy of one's own is python:FILE.py:NAME or python:MODULE:NAME"


def own_policy(place: str) -> Policy:
    """Returns a new policy by what a file or module offers under a name: a class, or a function without arguments.

    A file or module is run once per process; what makes policies is called for every episode, since several are
    played at once.

    Args:
        place: ``FILE.py:NAME`` or ``MODULE:NAME``.

    Raises:
        AgentWorldError: There is no such file, module or name, running it fails, or what it offers is no policy.
    """
    source, colon, name = place.rpartition(":")
    if not (colon and source and name):
        raise AgentWorldError(f"{_FORM}, not {quoted(f'python:{place}')}")
    module = _loaded(source)
    if not hasattr(module, name):
        known = [each for each in vars(module) if not each.startswith("_")]
        raise UnknownNameError(f"policy of {source}", name, known)
    offered: Any = getattr(module, name)
    if not callable(offered):
        raise AgentWorldError(
            f"{source}: {name} must be a class or a function that makes a policy, one for each episode; "
            f"it is {offered!r:.60}"
        )
    try:
        made = offered()
    except AgentWorldError:
        raise
    except Exception as error:  # whatever the user's code does
        raise _fails(f"{source}: {name}()", error) from error
    return as_policy(cast(BarePolicy, made))


def _loaded(source: str) -> ModuleType:
    """Returns a module by its name or file; what was loaded before is not run again."""
    if not source.endswith(".py"):
        try:
            return import_module(source)
        except ModuleNotFoundError as error:
            if error.name is None or not (source == error.name or source.startswith(f"{error.name}.")):
                raise _fails(source, error) from error
            raise AgentWorldError(f"there is no module {quoted(source)}; {_FORM}") from None
        except Exception as error:  # whatever the user's code does
            raise _fails(source, error) from error
    path = Path(source).resolve()
    name = f"agentworld_env_own:{path}"
    if name in sys.modules:
        return sys.modules[name]
    spec = spec_from_file_location(name, path)
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
        if not isinstance(error, Exception):
            raise
        raise _fails(source, error) from error
    return module


def _fails(what: str, error: Exception) -> AgentWorldError:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    if isinstance(error, SyntaxError) and error.lineno:
        what = f"{what}, line {error.lineno}"
    elif (trace := error.__traceback__) is not None:
        while trace.tb_next is not None:
            trace = trace.tb_next
        what = f"{what} (at {Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno})"
    return AgentWorldError(f"{what} cannot be used: {said:.300}")
