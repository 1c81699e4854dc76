"""How the documentation is built (`make docs`): Markdown by MyST, the furo theme; any warning fails the build."""

import importlib.metadata

project = "Regard"
author = "the Regard authors"
copyright = "the Regard authors, Apache License 2.0"
release = importlib.metadata.version("regard")

extensions = ["myst_parser"]
myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
highlight_language = "text"  # a block says so when it is Python

html_theme = "furo"
html_title = "Regard"
