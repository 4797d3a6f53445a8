import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadInTurns } from "../../src/http/pages/load-in-turns.ts";
import { EventLoopTurns } from "../event-loop-turns.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** The package, and the turn of the event loop in which it ran, of each that was loaded. */
const loaded: (readonly [name: string, turn: number])[] = [];

it("loads what a package depends on first, each once and in a turn of its own", async () => {
  const folder = temporaryFolder();
  const packages = {
    top: ["left", "right"],
    left: ["deep", "nothing-whole"],
    right: ["deep", "top"],
    deep: [],
    "nothing-whole": [],
  };
  for (const [name, needed] of Object.entries(packages)) {
    const own = join(folder, "node_modules", name);
    mkdirSync(own, { recursive: true });
    const dependencies = Object.fromEntries(needed.map((one) => [one, "1.0.0"]));
    writeFileSync(join(own, "package.json"), JSON.stringify({ name, main: "main.js", dependencies }));
    if (name !== "nothing-whole")
      writeFileSync(join(own, "main.js"), `globalThis.noteLoaded(${JSON.stringify(name)});`);
  }
  const turns = new EventLoopTurns();
  Object.assign(globalThis, { noteLoaded: (name: string) => loaded.push([name, turns.turn]) });
  await loadInTurns("top", join(folder, "importer.js"));
  turns.stop();
  expect(loaded.map(([name]) => name)).toEqual(["deep", "left", "right", "top"]);
  expect(new Set(loaded.map(([, when]) => when)).size).toBe(4);
});
