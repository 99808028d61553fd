// SPDX-License-Identifier: LGPL-2.1-or-later
// The login: a right password gets a cookie that scripts cannot read.

const form = document.getElementById("login");
const outcome = document.getElementById("outcome");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  outcome.textContent = "";
  try {
    const response = await fetch("/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ password: document.getElementById("password").value }),
    });
    if (response.ok) return location.replace("/");
    const { error } = await response.json();
    outcome.textContent = `${error[0].toUpperCase()}${error.slice(1)}.`;
  } catch {
    outcome.textContent = "The run cannot be reached: is it still going?";
  }
  document.getElementById("password").select();
});
document.documentElement.dataset.ready = "true";
