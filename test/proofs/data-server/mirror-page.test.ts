/** The commands of the page about mirrors, as a person copies them: two local data servers, and a mirror between them. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { freePort } from "../../free-port.ts";
import { blocksOf } from "../../house/page-blocks.ts";
import { givenDataServer } from "./given-data-server.ts";

const given = givenDataServer();
const ROOT = join(import.meta.dirname, "..", "..", "..");
const PAGE = readFileSync(join(ROOT, "docs/mirroring.md"), "utf8");
const SECTION = /^## Try it on one machine\n([\s\S]*?)^## /m.exec(PAGE)?.[1] ?? "";
/** Ports of the page: others may have them. */
const PORTS = ["8001", "8002", "8003", "8010", "8020"];

describe.skipIf(given === undefined)("data server: the page about mirrors", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mirror-page-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("makes a mirror that has the object and refuses writes", async () => {
    // Without it the page waits for ever.
    expect(spawnSync("rsync", ["--version"]).error, "the page needs rsync").toBeUndefined();
    const blocks = blocksOf("docs/mirroring.md", SECTION).map(({ text: block }) => block);
    expect(blocks).toHaveLength(4);
    let script = blocks.join("\n");
    for (const port of PORTS) script = script.replaceAll(port, String(await freePort()));
    const PATH = [dirname(given?.server ?? ""), process.env["PATH"]].join(delimiter);
    const shell = spawn("bash", ["-c", `trap 'kill $(jobs -p); wait' EXIT\n${script}`], {
      cwd: ROOT,
      env: { ...process.env, PATH, TMPDIR: folder, HOME: folder },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [printed, complaints] = await Promise.all([
      text(shell.stdout),
      text(shell.stderr),
      once(shell, "exit"),
    ]);
    const end = printed.slice(printed.indexOf('"state":"active"'));
    expect(end, printed + complaints).toMatch(/^"state":"active"\none\{"message":"insufficient permissions/);
  });
});
