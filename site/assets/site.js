"use strict";
/** Every page: the menu of a phone, light and dark, and the search, whose texts are read when they are first needed. */
(() => {
  const root = document.currentScript.dataset.root, at = (id) => document.getElementById(id);

  at("menu-button")?.addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("menu-open");
    at("menu-button").setAttribute("aria-expanded", `${isOpen}`);
  });

  const nameScheme = () => { at("scheme").title = at("scheme").ariaLabel = window.scheme.now() === "light" ? "Dark" : "Light"; };
  at("scheme").addEventListener("click", window.scheme.change);
  window.scheme.listen(nameScheme);
  nameScheme();
  at("scheme").hidden = false;

  let loading = null;
  function texts() {
    loading ??= new Promise((done, fail) => {
      const script = document.createElement("script");
      script.src = `${root}/assets/search_texts.js`;
      script.onload = () => done(window.searchTexts);
      script.onerror = () => fail(new Error("the texts of the search are not there"));
      document.head.append(script);
    });
    return loading;
  }

  /** Sections that have all words, those with words in headings first. */
  function search(all, words) {
    const found = [];
    for (const [address, title, heading, text] of all) {
      const [t, h, b] = [title, heading, text].map((each) => each.toLowerCase());
      let score = 0;
      for (const word of words) {
        const points = (h.includes(word) ? 8 : 0) + (t.includes(word) ? 4 : 0) + (b.includes(word) ? 1 : 0);
        if (points === 0) score = -Infinity;
        score += points;
      }
      if (score > 0) found.push({ address, title, heading, text, score });
    }
    return found.sort((a, b) => b.score - a.score).slice(0, 30);
  }

  function excerpt(text, word) {
    const place = text.toLowerCase().indexOf(word), from = Math.max(0, place - 60);
    return place < 0 ? text.slice(0, 140) : (from > 0 ? "\u2026 " : "") + text.slice(from, from + 160);
  }

  async function show() {
    const words = at("query").value.toLowerCase().split(/\s+/).filter((each) => each.length > 1);
    at("found").hidden = words.length === 0;
    if (words.length === 0) return;
    const found = search(await texts(), words), list = document.createElement("ul");
    for (const { address, title, heading, text } of found) {
      const item = document.createElement("li"), link = document.createElement("a"), said = document.createElement("p");
      link.href = `${root}/${address}`;
      link.textContent = heading === title ? title : `${title}: ${heading}`;
      said.textContent = excerpt(text, words[0]);
      item.append(link, said);
      list.append(item);
    }
    const count = document.createElement("p");
    count.setAttribute("role", "status");
    count.textContent = found.length === 0 ? "Nothing is found." : `${found.length === 30 ? "The first 30" : found.length} found`;
    at("found").replaceChildren(count, list);
  }

  at("query").addEventListener("input", show);
  at("search").addEventListener("submit", (event) => {
    event.preventDefault();
    at("found").querySelector("a")?.focus();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !at("found").hidden) {
      at("query").value = "";
      at("found").hidden = true;
      at("query").focus();
    }
    if (event.key === "/" && !/INPUT|SELECT|TEXTAREA/.test(event.target.tagName) && !event.target.isContentEditable) {
      event.preventDefault();
      at("query").focus();
    }
  });
})();
