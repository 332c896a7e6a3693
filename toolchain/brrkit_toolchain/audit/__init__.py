"""``brr audit``: does running code keep the metric-DP inequality? A statistical test of it."""

from .audit import audit_factory, audit_mechanism, audit_setting, audit_vectors
from .errors import AuditError
from .result import Audit, PairTest, Part

__all__ = [
    "Audit",
    "AuditError",
    "PairTest",
    "Part",
    "audit_factory",
    "audit_mechanism",
    "audit_setting",
    "audit_vectors",
]
