// SPDX-License-Identifier: Apache-2.0
// Draws the charts that are chosen (all of them at report.html#all), sorts and filters the table.
"use strict";
const study = JSON.parse(document.getElementById("study").textContent);
const phone = window.matchMedia("(max-width: 600px)");

function draw(place, chart) {
  const figure = phone.matches ? chart.narrow : chart.wide;
  return Plotly.react(place, figure.data, figure.layout,
    { responsive: true, displaylogo: false, displayModeBar: phone.matches ? false : undefined })
    .then(() => { place.dataset.traces = figure.data.length; });
}

function addChart(section, chart) {
  const place = document.createElement("div");
  place.className = "chart";
  const note = document.createElement("p");
  note.className = "note";
  section.append(place, note);
  const show = (other) => { note.textContent = other.note; draw(place, other); };
  show(chart);
  return show;
}

for (const section of document.querySelectorAll("[data-group]")) {
  const charts = study.charts.filter((chart) => chart.group === section.dataset.group);
  if (location.hash === "#all") {
    charts.forEach((chart) => addChart(section, chart));
    continue;
  }
  const choice = section.querySelector("select");
  const show = addChart(section, charts[0]);
  choice.addEventListener("change", () => show(charts[choice.selectedIndex]));
  phone.addEventListener("change", () => show(charts[choice.selectedIndex]));
}

// The table: at most `limit` lines are in the document until all are asked for.
const body = document.querySelector("#rows tbody");
const filter = document.getElementById("filter");
const count = document.getElementById("count");
const all = document.getElementById("all-rows");
let limit = 200;
let sorted = { column: -1, up: true };

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === "") return 1;  // what is absent comes last, whichever way
  if (b === null || b === "") return -1;
  const order = typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  return sorted.up ? order : -order;
}

function fill() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = study.rows.filter((row) => {
    const text = row.join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (sorted.column >= 0) found.sort((a, b) => compare(a[sorted.column], b[sorted.column]));
  body.replaceChildren(...found.slice(0, limit).map((row) => {
    const line = document.createElement("tr");
    for (const value of row) {
      const cell = line.insertCell();
      cell.textContent = value === null ? "" : value;
      if (typeof value === "number") cell.className = "figure";
    }
    return line;
  }));
  count.textContent = `${Math.min(limit, found.length)} of ${found.length} rows shown`;
  all.hidden = found.length <= limit;
}

document.querySelectorAll("#rows th button").forEach((button, column) => {
  button.addEventListener("click", () => {
    sorted = { column, up: sorted.column === column ? !sorted.up : true };
    document.querySelectorAll("#rows th").forEach((head, i) => {
      head.setAttribute("aria-sort",
        i !== column ? "none" : sorted.up ? "ascending" : "descending");
    });
    fill();
  });
});
filter.addEventListener("input", fill);
all.addEventListener("click", () => { limit = Infinity; fill(); });
fill();
