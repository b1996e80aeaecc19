/** An element of the page. Its children are elements and texts; a text stays text, whatever is in it. */
function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same of a drawing. */
function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

function at(id) {
  return document.getElementById(id);
}

/** "1 thread", "2 threads". */
function counted(number, noun, plural = `${noun}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}

/** "0-3, 8, 10-11" of ascending numbers; shortened where there are many gaps. */
function ranges(numbers) {
  const parts = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last && last.to === number - 1) last.to = number;
    else parts.push({ from: number, to: number });
  }
  const texts = parts.map((part) => (part.from === part.to ? `${part.from}` : `${part.from}\u2013${part.to}`));
  return texts.length <= 6 ? texts.join(", ") : `${texts.slice(0, 3).join(", ")} \u2026 ${texts.at(-1)}`;
}

/** Shows an element within the box that scrolls it, and leaves the page where it is. */
function showWithin(box, element) {
  const outer = box.getBoundingClientRect(), inner = element.getBoundingClientRect();
  const above = inner.top - outer.top, below = inner.bottom - outer.bottom + 3 * inner.height;
  if (above < 0 || below > 0) box.scrollTop += above - (outer.height - inner.height) / 3;
}
