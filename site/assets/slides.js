"use strict";
/** Slides: the arrow keys and space go to the next or the one before. */
(() => {
  const slides = [...document.querySelectorAll(".slide")];
  const place = () => slides.findIndex((slide) => slide.getBoundingClientRect().bottom > innerHeight / 2);
  document.addEventListener("keydown", (event) => {
    if (/INPUT|SELECT|PRE/.test(event.target.tagName) || event.ctrlKey || event.altKey || event.metaKey) return;
    const step = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    slides[Math.max(0, Math.min(slides.length - 1, place() + step))].scrollIntoView();
  });
})();
