"""What the checks of the page complain of."""

import json

complaints = []


def expect(what, found, wanted):
    if found != wanted:
        complaints.append(f"{what}: found {found!r}, expected {wanted!r}")


def text(page, selector):
    """The text of an element of the page; None if there is none."""
    return page.evaluate(f"document.querySelector({json.dumps(selector)})?.textContent")


def position(page):
    """The number of steps that are done."""
    return int(text(page, "#position").split("/")[0])
