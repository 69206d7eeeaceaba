"""What was spent, against what may be spent."""

from threading import Lock

from planet.author.artifacts import AuthorCost
from planet.errors import BudgetSpent
from planet.language_model.settings import Limits


class Budget:
    """The spending of one that asks, whatever number of threads ask through it."""

    def __init__(self, limits: Limits, who: str) -> None:
        """`who`: whose budget it is, as messages call it."""
        self.limits, self.who = limits, who
        self.spent = AuthorCost()
        self._lock = Lock()

    def request(self) -> None:
        """Count a request that is about to be sent; BudgetSpent when there is nothing left for it."""
        with self._lock:
            for what, limit, spent in self._accounts():
                if limit is not None and spent >= limit:
                    account = f"{spent:,.12g} of {limit:,.12g} {what}"
                    raise BudgetSpent(
                        f"the budget of {self.who} is used up: {account}; "
                        f"raise its {what} and give the same command: answers that were paid for are kept"
                    )
            self.spent += AuthorCost(calls=1)

    def pay(self, cost: AuthorCost) -> None:
        """Add what an answer took; its call has been counted."""
        with self._lock:
            self.spent += cost.replace(calls=0)

    def _accounts(self) -> tuple[tuple[str, float | None, float], ...]:
        return (
            ("calls", self.limits.calls, self.spent.calls),
            ("tokens", self.limits.tokens, self.spent.tokens),
            ("dollars", self.limits.dollars, self.spent.dollars),
        )
