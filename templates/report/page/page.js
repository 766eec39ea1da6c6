"use strict";
// Sorting, filtering, theme and counts. All text is in the page without it.
(() => {
  const root = document.documentElement;
  const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* storage is unavailable */ } };
  const recall = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const saved = recall("polbias-theme");

  root.classList.add("js");
  if (saved === "dark" || saved === "light") root.dataset.theme = saved;

  const dark = () => root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;

  function themes() {
    const button = document.getElementById("theme");
    const show = () => button.setAttribute("aria-pressed", dark());
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      remember("polbias-theme", root.dataset.theme);
      show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    show();
  }

  function counts() {
    const button = document.getElementById("counts");
    button.hidden = !document.querySelector(".counts");
    button.addEventListener("click", () => {
      button.setAttribute("aria-pressed", root.classList.toggle("with-counts"));
    });
  }

  const keyOf = (cell) => cell.dataset.s ?? cell.textContent;

  // Missing values come last in either direction; equal ones keep the order of the page.
  function sorted(rows, column, numeric, sign) {
    const keyed = rows.map((row) => [keyOf(row.cells[column]), row]);
    const compare = numeric
      ? (a, b) => Number(a) - Number(b)
      : (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    keyed.sort(([a], [b]) => (a === "") - (b === "") || (a === "" ? 0 : sign * compare(a, b)));
    return keyed.map(([, row]) => row);
  }

  function sorting(table) {
    const body = table.tBodies[0];
    const original = [...body.rows];
    if (original.length < 2) return;
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.title = document.body.dataset.sort.replace("{column}", () => head.textContent);
      button.append(...head.childNodes);
      head.append(button);
      head.setAttribute("aria-sort", "none");
      button.addEventListener("click", () => {
        const next = { none: "ascending", ascending: "descending", descending: "none" }[head.ariaSort];
        heads.forEach((other) => other.setAttribute("aria-sort", "none"));
        head.setAttribute("aria-sort", next);
        const numeric = original.every((row) => !Number.isNaN(Number(keyOf(row.cells[column]))));
        body.append(...(next === "none" ? original : sorted(original, column, numeric, next === "ascending" ? 1 : -1)));
      });
    });
  }

  function filtering(controls) {
    const rows = [...controls.parentElement.querySelector("table").tBodies[0].rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const search = controls.querySelector("input");
    const selects = [...controls.querySelectorAll("select")];
    const output = controls.querySelector("output");
    const fits = (row, text) => texts[row].includes(text) && selects.every((select) =>
      !select.value || rows[row].dataset[`f${select.dataset.filter}`].split(" ").includes(select.value));
    const update = () => {
      const text = search.value.trim().toLowerCase();
      let shown = 0;
      rows.forEach((row, place) => { row.hidden = !fits(place, text); shown += !row.hidden; });
      output.textContent = document.body.dataset.rows.replace("{shown}", shown).replace("{all}", rows.length);
    };
    search.addEventListener("input", update);
    selects.forEach((select) => select.addEventListener("change", update));
    update();
  }

  // Only a table that scrolls takes keyboard focus and has a hint.
  function scrolling() {
    const boxes = [...document.querySelectorAll(".scroll")];
    const watch = new ResizeObserver((entries) => entries.forEach(({ target }) => {
      const wider = target.scrollWidth > target.clientWidth;
      const hint = target.previousElementSibling;
      if (hint?.classList.contains("hint")) hint.hidden = !wider;
      if (wider) target.tabIndex = 0;
      else target.removeAttribute("tabindex");
    }));
    boxes.forEach((box) => watch.observe(box));
  }

  function folds() {
    const open = () => {
      const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      let opened = false;
      for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
        opened ||= !fold.open;
        fold.open = true;
      }
      if (opened) target.scrollIntoView();
    };
    let closed = [];
    addEventListener("hashchange", open);
    addEventListener("beforeprint", () => {
      closed = [...document.querySelectorAll("details:not([open])")];
      closed.forEach((each) => { each.open = true; });
    });
    addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
    open();
  }

  // Mark the section in view in the table of contents.
  function reading() {
    const links = new Map([...document.querySelectorAll("nav a")].map((link) => [link.hash.slice(1), link]));
    const visible = new Set();
    const watch = new IntersectionObserver((entries) => {
      entries.forEach(({ target, isIntersecting }) => visible[isIntersecting ? "add" : "delete"](target.id));
      const current = [...links.keys()].find((id) => visible.has(id));
      links.forEach((link, id) => id === current
        ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
    }, { rootMargin: "-20% 0px -70% 0px" });
    links.forEach((_, id) => { const part = document.getElementById(id); if (part) watch.observe(part); });
  }

  document.addEventListener("DOMContentLoaded", () => {
    themes();
    counts();
    document.querySelectorAll("table").forEach(sorting);
    document.querySelectorAll(".controls").forEach(filtering);
    scrolling();
    folds();
    reading();
  });
})();
