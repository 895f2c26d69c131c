"""Python runs this at startup. Hides modules that the guide's `pip install` would not install."""

import os
import sys

for name in filter(None, os.environ.get("HIDDEN_MODULES", "").split(",")):
    sys.modules[name] = None
