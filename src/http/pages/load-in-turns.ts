/** Loading of large libraries while requests are served. */

import { createRequire, findPackageJSON } from "node:module";
import { scheduler } from "../../schedule/scheduler.ts";

/**
 * Loads a package, and before it what it depends on, each in a turn of the event loop of its own. To import it then takes
 * little: at once, with all that it loads, it would hold others for as long as it takes to read and compile dozens of files.
 * @param parent URL or path of the file that imports it
 * @param known the packages that were seen, by their files
 */
export async function loadInTurns(name: string, parent: string, known = new Set<string>()): Promise<void> {
  const file = findPackageJSON(name, parent);
  if (file === undefined || known.has(file)) return;
  known.add(file);
  const { dependencies = {} } = createRequire(parent)(file) as { dependencies?: object };
  for (const inner of Object.keys(dependencies)) await loadInTurns(inner, file, known);
  await scheduler.turn();
  try {
    createRequire(parent)(name);
  } catch {
    // A package may have no file that stands for all of it. What cannot be loaded at all, the import says.
  }
}
