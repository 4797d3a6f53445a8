/** `npm run bench`: prints the numbers of docs/performance.md. */
import { rmSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { folder, isBuilt } from "./authorizer.ts";
import { measureEverything } from "./everything.ts";
import { MODES } from "./modes.ts";
import { isPinned } from "./processes.ts";

/** The flags of the command line. Ends the program for one that there is not, or for `--help`. */
function chosen(): ReadonlySet<string> {
  const flags = Object.fromEntries(
    [...MODES.keys(), "help"].map((name) => [name, { type: "boolean" } as const]),
  );
  try {
    const { values } = parseArgs({ options: flags });
    if (values["help"] !== true) return new Set(Object.keys(values));
    console.log(help());
    process.exit(0);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help()}`);
    process.exit(2);
  }
}

function help(): string {
  const width = Math.max(...[...MODES.keys()].map((name) => name.length));
  const modes = [...MODES].map(([name, { about }]) => `  --${name.padEnd(width)}  ${about}`);
  return [
    "Usage: npm run bench [-- --FLAG…]; without a flag, the first tables of docs/performance.md",
    ...modes,
  ].join("\n");
}

function machine(): string {
  return [
    new Date().toISOString().slice(0, 10),
    `Node ${process.versions.node}`,
    cpus()[0]?.model.trim(),
    `${cpus().length} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `Linux ${release()}`,
    isPinned ? "server and client on a core each" : "not pinned to cores",
    `program ${isBuilt ? "built" : "from sources"}`,
  ].join(", ");
}

process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const flags = chosen();
console.log(`${machine()}\n`);
if (flags.size === 0) await measureEverything();
for (const [name, { run }] of MODES) if (flags.has(name)) await run();
