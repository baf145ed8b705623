"use strict";
document.addEventListener("DOMContentLoaded", function () {
  const root = document.documentElement;
  document.getElementById("theme").addEventListener("click", function () {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  document.querySelectorAll("button.copy").forEach(function (button) {
    button.addEventListener("click", function () {
      const code = button.parentElement.querySelector("code");
      const done = function () { button.textContent = "Copied"; setTimeout(function () { button.textContent = "Copy"; }, 2000); };
      const select = function () {
        const range = document.createRange();
        range.selectNodeContents(code);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        if (document.execCommand("copy")) { done(); } else { button.textContent = "Selected"; }
      };
      if (navigator.clipboard) { navigator.clipboard.writeText(code.textContent).then(done, select); } else { select(); }
    });
  });
  document.querySelectorAll(".map").forEach(function (map) {
    const tiles = Array.from(map.children);
    const go = function (at) {
      tiles.forEach(function (tile) { tile.tabIndex = -1; });
      tiles[at].tabIndex = 0;
      tiles[at].focus();
    };
    map.addEventListener("keydown", function (event) {
      const at = tiles.indexOf(document.activeElement);
      const to = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: tiles.length - 1 }[event.key];
      if (to === undefined || at < 0) { return; }
      event.preventDefault();
      go(Math.min(tiles.length - 1, Math.max(0, to)));
    });
    const say = function (event) {
      const tile = event.target.closest(".tile");
      if (tile) { document.getElementById(tile.dataset.said).textContent = tile.title; }
    };
    map.addEventListener("focusin", say);
    map.addEventListener("mouseover", say);
  });
  const open = function () {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") { target.open = true; }
  };
  addEventListener("hashchange", open);
  open();
});
