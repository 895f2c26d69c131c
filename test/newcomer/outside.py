"""Prints the modules that `pip install` of these requirements would not install, though they are installed here."""

import re
import sys
from importlib import metadata

from pip._vendor.packaging.requirements import Requirement


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


seen: set[tuple[str, str]] = set()
waiting = [Requirement(text) for text in sys.argv[1:]]
while waiting:
    wanted = waiting.pop()
    for extra in ("", *wanted.extras):
        if (canonical(wanted.name), extra) in seen:
            continue
        seen.add((canonical(wanted.name), extra))
        # Raises if it is not installed.
        for text in metadata.requires(wanted.name) or ():
            needed = Requirement(text)
            if not needed.marker or needed.marker.evaluate({"extra": extra}):
                waiting.append(needed)

inside = {name for name, _ in seen} | {"pip", "setuptools"}
for module, owners in metadata.packages_distributions().items():
    if not any(canonical(owner) in inside for owner in owners):
        print(module)
