/** An element with attributes and children; texts are texts, never markup. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const at = (id) => document.getElementById(id);

const folder = document.currentScript?.src ?? "";

/** Runs a script of the site that is too large to be in the page, from the folder of the page's own, and returns what it leaves at
 * `window[name]`. It is loaded once. */
export function loaded(file, name) {
  if (window[name] !== undefined) return Promise.resolve(window[name]);
  return new Promise((done, fail) => {
    const script = make("script", { src: new URL(file, folder).href });
    script.onload = () => done(window[name]);
    script.onerror = () => fail(new Error(`${file} is missing: is the site's folder whole?`));
    document.head.append(script);
  });
}

/** Shows the page that plays a run in the page's frame. */
export function showPlayer(html) {
  const frame = at("player");
  frame.onload = tintPlayer;
  frame.srcdoc = html;
  frame.hidden = false;
}

/** Makes the player as light or dark as the page. */
function tintPlayer() {
  const root = at("player")?.contentDocument?.documentElement;
  if (root) root.style.colorScheme = window.scheme.now();
}
globalThis.scheme?.listen(tintPlayer);

/** What the page remembers in the browser; nothing, where the browser does not let it. */
export const memory = {
  read(name) {
    try {
      return JSON.parse(localStorage.getItem(name));
    } catch {
      return null;
    }
  },
  write(name, value) {
    try {
      localStorage.setItem(name, JSON.stringify(value));
    } catch {
      // the page works without
    }
  },
};

/** Text for an address, and back. */
export const packed = (text) => btoa(String.fromCharCode(...new TextEncoder().encode(text))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
export const unpackedText = (text) =>
  new TextDecoder().decode(Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)));
