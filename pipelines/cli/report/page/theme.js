// SPDX-License-Identifier: LGPL-2.1-or-later
// Light and dark: as the reader's system has it, until the button says otherwise; paper is light.

const kThemes = ["automatic", "light", "dark"];

function setTheme(name) {
  if (name === "automatic") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", name);
  view.emit("theme");
}

function watchTheme() {
  const button = byId("theme");
  let chosen = 0;
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % kThemes.length;
    button.textContent = `Theme: ${kThemes[chosen]}`;
    setTheme(kThemes[chosen]);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view.emit("theme"));
  addEventListener("beforeprint", () => setTheme("light"));
  addEventListener("afterprint", () => setTheme(kThemes[chosen]));
}

// The colours of the style sheet, for the charts.
function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"), muted: colour("muted"), line: colour("line"), card: colour("card"),
    kept: colour("kept"), added: colour("added"), removed: colour("removed"), low: colour("low"), high: colour("high"),
  };
}

// Sizes in charts follow the text around them.
function rem(factor = 1) {
  return factor * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function fontOf(colours, factor = 0.8) {
  return { color: colours.text, fontSize: rem(factor), fontFamily: getComputedStyle(document.body).fontFamily };
}

// A chart in an element, redrawn by `draw` when colours or sizes change.
function makeChart(element, draw) {
  const chart = echarts.init(element, null, { renderer: "canvas" });
  const redraw = () => draw(chart);
  view.on("theme", redraw);
  let width = element.clientWidth;
  new ResizeObserver(settled(() => {
    if (element.clientWidth === width || element.clientWidth === 0) return;
    width = element.clientWidth;
    chart.resize();
    redraw();
  }, 60)).observe(element);
  for (const event of ["beforeprint", "afterprint"]) addEventListener(event, () => {
    chart.resize();
    redraw();
  });
  return chart;
}
