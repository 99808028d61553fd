// SPDX-License-Identifier: LGPL-2.1-or-later
// Light and dark: the system's setting, unless the button was used. The choice is kept in this browser.

const kThemes = ["automatic", "light", "dark"];

function watchTheme() {
  const button = byId("theme");
  const use = (name) => {
    if (name === "automatic") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.setAttribute("data-theme", name);
    button.textContent = `Theme: ${name}`;
  };
  let chosen = Math.max(0, kThemes.indexOf(localStorage.getItem("theme")));
  use(kThemes[chosen]);
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % kThemes.length;
    localStorage.setItem("theme", kThemes[chosen]);
    use(kThemes[chosen]);
  });
}
