"""``brr audit``: a statistical test of the metric-DP inequality in running code."""

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
