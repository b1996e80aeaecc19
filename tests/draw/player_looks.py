"""How the page that plays a run looks, and whether it can be used without a mouse and on a phone."""

from expecting import expect, position

contrasts = """
(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = (c) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, k) => {
    const v = c[k] / 255; return sum + weight * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); }, 0);
  const ground = (e) => { for (; e; e = e.parentElement) {
    const c = channels(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const found = {};
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest("svg, [hidden], :disabled") || ![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    if (e.getClientRects().length === 0) continue;
    const [a, b] = [light(channels(getComputedStyle(e).color)), light(ground(e))].sort((p, q) => q - p);
    const name = `${e.tagName}.${e.className}`, ratio = (a + 0.05) / (b + 0.05);
    found[name] = Math.min(found[name] ?? 99, ratio);
  }
  return {page: light(ground(document.body)), low: Object.entries(found).filter(([, ratio]) => ratio < 4.5)};
})()"""


def check_looks(page, path, scheme):
    page.prefer(scheme)
    page.open(path)
    for _ in range(5):
        page.press("ArrowRight")
    found = page.evaluate(contrasts)
    expect(f"{scheme}: the ground is {scheme}", found["page"] > 0.5, scheme == "light")
    expect(f"{scheme}: texts with little contrast", found["low"], [])


def check_access(page, path):
    page.open(path)
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input, select, [tabindex]")].filter(e =>
        !(e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || e.textContent.trim())).map(e => e.outerHTML)"""
    )
    expect("controls without a name", unnamed, [])
    reached = []
    for _ in range(14):
        page.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    expect("what Tab reaches", [name for name in ("play", "forward", "slider", "speed", "circuit", "source") if name not in reached], [])
    page.evaluate("document.getElementById('forward').focus()")
    page.press(" ")
    expect("space on a button presses it", position(page), 1)


def nodes_in_sight(page):
    """How many nodes of the last step are within the drawing's frame, beside the names of the rows."""
    return page.evaluate("""(() => {
      const box = document.getElementById("circuit"), frame = box.getBoundingClientRect(), names = 46;
      return [...document.querySelectorAll("#circuit .nodes.now .value")].filter((value) => { const at = value.getBoundingClientRect();
        return at.left >= frame.left + names && at.right <= frame.right; }).length; })()""")


def check_wide_drawings_on_a_phone(page, sixteen, thirty_two):
    page.open(sixteen)
    cut_off = page.evaluate("document.getElementById('circuit').scrollWidth - document.getElementById('circuit').clientWidth")
    expect("pixels of 16 columns that are cut off on a phone", cut_off, 0)
    expect("values of 16 columns on a phone", page.evaluate("document.querySelectorAll('#circuit .value').length > 16"), True)
    page.open(thirty_two)
    last = page.evaluate("Number(document.getElementById('slider').max)")
    hidden = []
    for step in range(1, last + 1):
        page.press("ArrowRight")
        if page.evaluate("document.querySelectorAll('#circuit .nodes.now .value').length") > 0 and nodes_in_sight(page) == 0:
            hidden.append(step)
    expect("steps of 32 columns whose nodes are all out of sight on a phone", hidden, [])


def check_phone(page, path, sixteen, thirty_two):
    page.resize(360, 740, 2, mobile=True)
    check_wide_drawings_on_a_phone(page, sixteen, thirty_two)
    page.open(path)
    page.press("End")
    expect("the width on a phone", page.evaluate("document.documentElement.scrollWidth"), 360)
    small = page.evaluate("[...document.querySelectorAll('.buttons button')].filter(e => e.clientHeight < 38 || e.clientWidth < 38).length")
    expect("buttons too small for a finger", small, 0)
    wide = page.evaluate("""[...document.querySelectorAll("section")].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.id)""")
    expect("panels that overflow on a phone", wide, [])
    page.resize(1280, 800)


def take_pictures(page, path, folder):
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 375)):
        page.prefer(scheme)
        page.resize(width, 800, 2 if width < 500 else 1, mobile=width < 500)
        page.open(path)
        for _ in range(6):
            page.press("ArrowRight")
        page.screenshot(folder / f"{path.stem}_{scheme}_{width}.png", whole=width < 500)
    page.resize(1280, 800)
