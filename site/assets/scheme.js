"use strict";
/** Light or dark as the reader has chosen it on any page, before the page is drawn; without a choice, as the system has it. */
(() => {
  const root = document.documentElement, prefersDark = matchMedia("(prefers-color-scheme: dark)");
  const name = (isDark) => (isDark ? "dark" : "light");
  const listeners = [];
  let chosen = null;
  try {
    chosen = localStorage.getItem("tally.scheme");
  } catch {
    // the browser keeps nothing of pages
  }
  const apply = () => {
    if (chosen === null) delete root.dataset.scheme;
    else root.dataset.scheme = chosen;
    for (const each of listeners) each();
  };
  apply();

  window.scheme = {
    /** "light" or "dark". */
    now: () => chosen ?? name(prefersDark.matches),
    /** The other one. The choice is forgotten where it is the system's. */
    change() {
      const other = name(window.scheme.now() === "light");
      chosen = other === name(prefersDark.matches) ? null : other;
      try {
        if (chosen === null) localStorage.removeItem("tally.scheme");
        else localStorage.setItem("tally.scheme", chosen);
      } catch {
        // it holds for this page
      }
      apply();
    },
    /** Calls `tell` when another scheme is shown. */
    listen: (tell) => listeners.push(tell),
  };
  prefersDark.addEventListener("change", apply);
})();
