"""When things happened: dates of a record that agree with each other and with its status.

A record is made, takes its course, and ends: made <= begun <= over. By its status it waits (the course lies
ahead), runs (it has begun and is not over) or is over, on the day that the seed state shows, TODAY.
"""

from datetime import date
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from numpy import ndarray
    from numpy.random import Generator

TODAY = date(2026, 1, 1)
Phase = Literal["waiting", "running", "over"]
Role = Literal["origin", "made", "event", "end"]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WAITING = _words("""
ahead announced applied applied_for arranged asked asked_for booked courted demanded designed draft
draft_bill drafted drawn_up due early expected floated forming in_draft in_review in_talks in_trial
initiated inquired intended negotiating new notified offered on_waitlist open_for_bids optioned ordered
outlined pending planned prepared prescribed proposed prospective queued quoted raised received
recommended requested rostered rough scheduled set_down sketched sought submitted suggested to_come todo
waiting warm wished
""")
_OVER = _words("""
abandoned aborted annulled answered answered_filing arrived attended awarded barred bestowed breached
broken_off brought_back called_off cancelled cleared cleared_out closed closed_plan collected compensated
completed connected declared_lost declined decommissioned delivered denied departed destroyed discharged
discontinued dismissed dispensed dissolved done dropped ended excluded executed expired failed
failed_check failed_port filled finished fixed flown followed_up forfeited given_away gone graded
graduated handed_back handed_over harvested heard held hired inspected lapsed late lifted lost made merged
missed moved_out no_show out_of_limits outdated over overdue paid paid_off paid_out paid_up parted passed
passed_check performed ported ported_out published published_out reached read_out reaped reconciled
recycled redeemed refunded refused rejected removed repaid resolved restored retired retracted returned
returned_home reversed revoked rolled_out sailed scrapped seen sent sent_back sent_out served served_out
settled shut shut_down signed_off skipped sold sold_out solved spent sprayed stopped struck_out succeeded
superseded surrendered terminated tested transferred treated turned_down used_up void voided waived
walked_away walked_through withdrawn within_limits won worn_out written_off written_up
""")

_ORIGIN = _words("""
birth build commission entry fit hire install join launch open opening start_up
""")
_MADE = _words("""
accident agree apply award bid bill booking chat enroll event fault file filing found grant impose issue
lodge log loss note offer order post prescribe purchase quote raise receipt record referral register
registration report request scan sign submit
""")
_END = _words("""
answer arrival clear close closing connect deadline delivery discharge due end eta expiry fetch final
finish free_until graduation last leave next paid pay_back promise reaping release renewal resolve return
revisit sailing settle valid validity
""")

_LONGEST = 240
"""Days that the course of a record takes at most."""


@cache
def phase_of(status: str) -> Phase:
    """Where in its course a record of this status is; a status that the lexicon has not is one of the way."""
    return "waiting" if status in _WAITING else "over" if status in _OVER else "running"


@cache
def role_of(column: str) -> Role:
    """What a date column tells: long ago, when the record was made, what happened, or when it is over."""
    name = column.removesuffix("_date")
    for first in (name, name.split("_")[0]):
        if first in _ORIGIN:
            return "origin"
        if first in _MADE:
            return "made"
        if first in _END:
            return "end"
    return "event"


def days_of(statuses: list[str], rng: "Generator") -> "dict[Role, ndarray]":
    """Role -> day of each record, as an offset from TODAY: origin <= made <= event <= end."""
    import numpy as np

    phases = np.array([("waiting", "running", "over").index(phase_of(status)) for status in statuses])
    share, age, lag, past = rng.random((4, len(statuses)))
    length = 1 + (share**2 * _LONGEST).astype(int)
    ahead = 1 + (age * 90).astype(int)
    passed = np.minimum(length, (age * length).astype(int))
    ended = (age**2 * 330).astype(int)
    begun = np.select([phases == 0, phases == 1], [ahead, -passed], -ended - length)
    over = np.where(phases == 2, -ended, begun + length)
    made = np.minimum(begun, 0) - (lag**2 * 40).astype(int)
    return {
        "origin": made - (past**2 * 3650).astype(int),
        "made": made,
        "event": begun,
        "end": over,
    }


def as_dates(days: "ndarray") -> list[str]:
    """Days from TODAY as ISO dates."""
    import numpy as np

    return list((np.datetime64(TODAY) + days.astype("timedelta64[D]")).astype(str).tolist())
