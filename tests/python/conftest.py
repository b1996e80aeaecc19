"""Settings of hypothesis: other examples in every run on a developer's machine, the same ones where CI is set."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
