#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs a real Home Assistant on a broker, and reports what it makes of the cameras announced there.

  home_assistant.py PORT                 the broker at 127.0.0.1:PORT; lists the entities of all cameras
  home_assistant.py PORT --labels TEXT   also types TEXT into the entity Labels of each camera, and waits for its sensors
  home_assistant.py PORT --gone          waits until all entities are unavailable: stop or kill the run meanwhile

Exits with 1 if Home Assistant refuses an announcement by its own schemas, or if an entity is missing. Needs the package homeassistant
in an environment of its own (the newest one needs the newest Python), libturbojpeg, and the Python index, from which Home
Assistant installs what its integrations need. That takes minutes, so no script here does it.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import pathlib
import sys
import tempfile
from collections.abc import Callable

from homeassistant import bootstrap, config_entries, core, runner
from homeassistant.const import __version__
from homeassistant.helpers import device_registry, entity_registry

DOMAINS = {"binary_sensor", "event", "image", "text"}
PATIENCE = 20  # seconds


class Refusals(logging.Handler):
    """What the MQTT integration complains about."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.startswith("homeassistant.components.mqtt"):
            self.lines.append(record.getMessage())


async def start(folder: pathlib.Path, port: int) -> core.HomeAssistant:
    (folder / "configuration.yaml").write_text("")
    home = await bootstrap.async_setup_hass(runner.RuntimeConfig(config_dir=str(folder), skip_pip=False, log_no_color=True))
    assert home
    entry = config_entries.ConfigEntry(version=2, minor_version=1, domain="mqtt", title="broker", data={"broker": "127.0.0.1", "port": port},
                                       options={}, source="user", unique_id=None, discovery_keys={}, subentries_data=None)
    await home.config_entries.async_add(entry)
    if entry.state is not config_entries.ConfigEntryState.LOADED:
        raise SystemExit(f"the MQTT integration did not start: {entry.state}, {entry.reason}")
    return home


def entities(home: core.HomeAssistant) -> dict[str, core.State]:
    """Those of the cameras that are there now, by id."""
    devices, registry = device_registry.async_get(home), entity_registry.async_get(home)
    found = {}
    for state in home.states.async_all():
        entry = registry.async_get(state.entity_id)
        device = devices.async_get(entry.device_id) if entry and entry.device_id else None
        if device and device.manufacturer == "gst-bcp":
            found[state.entity_id] = state
    return dict(sorted(found.items()))


async def wait_for(what: str, condition: Callable[[], bool]) -> None:
    for _ in range(10 * PATIENCE):
        if condition():
            return
        await asyncio.sleep(0.1)
    raise SystemExit(f"not within {PATIENCE} s: {what}")


async def type_labels(home: core.HomeAssistant, text: str) -> None:
    for entity in [name for name in entities(home) if name.startswith("text.")]:
        await home.services.async_call("text", "set_value", {"entity_id": entity, "value": text}, blocking=True)
        await wait_for(f"{entity} is {text}", lambda: entities(home)[entity].state == text)
    def shown() -> set[str]:
        return {state.attributes["label"] for state in entities(home).values() if "label" in state.attributes and state.entity_id.startswith("binary")}

    await wait_for("sensors of other labels are gone", lambda: bool(shown()) and all(label.replace(",", "\\,") in text for label in shown()))
    print(f"typed {text}: sensors of {', '.join(sorted(shown()))}")
    for name, state in entities(home).items():
        if name.startswith("event."):
            print(f"{name}: {state.attributes.get('event_type')} {state.attributes.get('label')}")


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--labels")
    parser.add_argument("--gone", action="store_true")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.ERROR)
    refusals = Refusals()
    logging.getLogger().addHandler(refusals)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        home = await start(pathlib.Path(folder), arguments.port)
        await wait_for(f"entities of {DOMAINS}", lambda: DOMAINS <= {name.split(".")[0] for name in entities(home)})
        await asyncio.sleep(2)  # for the rest, and the states
        for name, state in entities(home).items():
            print(f"{name}: {state.state}")
        if arguments.labels:
            await type_labels(home, arguments.labels)
        if arguments.gone:
            print("waiting for all entities to be unavailable", flush=True)
            await wait_for("all unavailable", lambda: all(state.state == "unavailable" for state in entities(home).values()))
        count = len(entities(home))
        await home.async_stop()
    for line in refusals.lines:
        print(f"refused: {line}")
    print(f"Home Assistant {__version__}: {count} entities, {len(refusals.lines)} complaints")
    return 1 if refusals.lines else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
