"use strict";
// The filter is of use only where scripts run: it is hidden without.
const form = document.querySelector("form.filter");
const scenarios = [...document.querySelectorAll("details.scenario")];
const words = new Map();

function text(scenario) {
  if (!words.has(scenario)) words.set(scenario, scenario.textContent.toLowerCase());
  return words.get(scenario);
}

function filter() {
  const wanted = form.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
  const statuses = new Set([...form.querySelectorAll("[name=status]:checked")].map((box) => box.value));
  let shown = 0;
  for (const scenario of scenarios) {
    const show = statuses.has(scenario.dataset.status) && wanted.every((word) => text(scenario).includes(word));
    scenario.hidden = !show;
    if (show) shown += 1;
  }
  form.querySelector("output").textContent = `${shown} of ${scenarios.length} scenarios`;
}

// A link may point into what is folded up or filtered away.
function reveal() {
  const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.hidden = false;
  for (let part = target; part; part = part.parentElement) if (part.tagName === "DETAILS") part.open = true;
  target.scrollIntoView();
}

// A command is copied by a click; it can also be marked by hand.
for (const command of document.querySelectorAll("pre.command")) {
  if (!navigator.clipboard) break;
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "copy";
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(command.querySelector("code").textContent);
    button.textContent = "copied";
  });
  command.append(button);
}

form.hidden = false;
// Whoever types quickly waits for the last letter only.
let typed;
form.addEventListener("input", () => {
  clearTimeout(typed);
  typed = setTimeout(filter, 120);
});
form.addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", reveal);
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    form.elements.words.focus();
  }
});
// Paper cannot be unfolded. What is as it should be stays a line, unless somebody has unfolded it; and of the
// requests of a violation the last is whole, since it shows what is wrong.
const told = ["fail", "error", "warn"].map((status) => `details.scenario[data-status=${status}]`);
const last = "details.scenario[data-status=fail] .exchange:last-child";
const printed = [".fix details:not(.causes)", ...told, last].join(", ");
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll(printed)].filter((part) => !part.open);
  for (const part of folded) part.open = true;
});
addEventListener("afterprint", () => {
  for (const part of folded) part.open = false;
});
filter();
reveal();
