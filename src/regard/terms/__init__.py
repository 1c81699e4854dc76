"""Loss terms, one a file: what a run pays for beside the usual loss. Others come in by the entry point group
`regard.terms`."""

from regard.parts import Family
from regard.terms.coverage import Coverage
from regard.terms.doubly_stochastic import DoublyStochastic
from regard.terms.entropy import Entropy
from regard.terms.reinforce import Reinforce
from regard.terms.supervised import Supervised
from regard.terms.term import Seen, Term, TermOptions, gather, guided, look_of

TERMS = Family("term", "regard.terms", [Coverage, DoublyStochastic, Entropy, Reinforce, Supervised])

__all__ = [
    "TERMS", "Coverage", "DoublyStochastic", "Entropy", "Reinforce", "Seen", "Supervised", "Term", "TermOptions",
    "gather", "guided", "look_of",
]  # fmt: skip
