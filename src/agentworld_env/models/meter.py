"""What is counted and limited around model calls, and how a call fails."""

from __future__ import annotations

from typing import Protocol

from agentworld_env.errors import AgentWorldError, ModelError
from agentworld_env.models.replies import Reply


class Meter(Protocol):
    """Asked before every request, told of every reply."""

    def allow(self) -> None:
        """Raises ``BudgetSpentError`` if no further request may be made."""

    def count(self, label: str, reply: Reply) -> None:
        """Counts a reply.

        Args:
            label: The model, as ``provider:model``.
            reply: Its reply.
        """


class BudgetSpentError(AgentWorldError):
    """The limit on tokens or cost is reached; nothing went wrong."""


class ServiceError(ModelError):
    """A call that brought no reply.

    Args:
        message: One line for people.
        status: HTTP status, or 0 if there was no HTTP answer.
        kind: A few words if there is no status.
        transient: Whether trying again may help.
        retry_after: How long the endpoint asks to wait (seconds), or None.
        model: Name of the model that was asked, or empty if there was none.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        kind: str = "",
        transient: bool = False,
        retry_after: float | None = None,
        model: str = "",
    ) -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind
        self.transient = transient
        self.retry_after = retry_after
        self.model = model

    def __reduce__(self) -> tuple[object, ...]:
        return _service_error, (
            str(self),
            self.status,
            self.kind,
            self.transient,
            self.retry_after,
            self.model,
        )


def _service_error(
    message: str, status: int, kind: str, transient: bool, retry_after: float | None, model: str
) -> ServiceError:
    return ServiceError(
        message, status=status, kind=kind, transient=transient, retry_after=retry_after, model=model
    )
