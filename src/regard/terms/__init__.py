"""Loss terms, one a file: what guides training beside the usual loss. Others come in by the entry point group
`regard.terms`."""

from regard.parts import Family
from regard.terms.coverage import Coverage
from regard.terms.term import Seen, Term, TermOptions, gather, look_of

TERMS = Family("term", "regard.terms", [Coverage])

__all__ = ["TERMS", "Coverage", "Seen", "Term", "TermOptions", "gather", "look_of"]
