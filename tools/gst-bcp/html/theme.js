// SPDX-License-Identifier: LGPL-2.1-or-later
// Light and dark: the system's setting, unless the button was used; paper is light.

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
  // Charts have a fixed size: they must be drawn for the paper before its layout.
  const setPrinting = (isPrinting) => {
    document.documentElement.toggleAttribute("data-printing", isPrinting);
    setTheme(isPrinting ? "light" : kThemes[chosen]);
  };
  addEventListener("beforeprint", () => setPrinting(true));
  addEventListener("afterprint", () => setPrinting(false));
}

// The colours of the style sheet, for the charts.
function palette() {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: colour("text"),
    muted: colour("muted"),
    line: colour("line"),
    card: colour("card"),
    kept: colour("kept"),
    added: colour("added"),
    removed: colour("removed"),
    low: colour("low"),
    high: colour("high"),
  };
}

// Sizes in charts follow the text around them.
function rem(factor = 1) {
  return factor * parseFloat(getComputedStyle(document.documentElement).fontSize);
}

function fontOf(colours, factor = 0.8) {
  return { color: colours.text, fontSize: rem(factor), fontFamily: getComputedStyle(document.body).fontFamily };
}

// A chart in an element, redrawn by `draw` when colours or sizes change. SVG is sharp on paper, a canvas draws tens of
// thousands of shapes in time.
function makeChart(element, renderer, draw) {
  const chart = echarts.init(element, null, { renderer });
  let width = element.clientWidth;
  const redraw = () => {
    if (chart.isDisposed() || element.clientWidth === 0) return;
    width = element.clientWidth;
    chart.resize();
    draw(chart);
    chart.getZr().flush();
  };
  view.on("theme", redraw);
  new ResizeObserver(
    settled(() => {
      if (element.clientWidth !== width) redraw();
    }, 60),
  ).observe(element);
  return chart;
}
