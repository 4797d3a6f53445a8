/** Paths of any bytes on two real data servers: each object is looked at under its own path, and has its bytes on the mirror. */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { pathText } from "../../../src/mirroring/data/path-text.ts";
import { openedOnce } from "../../opened.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { RealControllers } from "./real-controllers.ts";
import { RealMirror } from "./real-mirror.ts";

const given = givenDataServer();
const FILE = new URL("../../../fixtures/mirroring/odd-paths.json", import.meta.url);
const PATHS = JSON.parse(readFileSync(FILE, "utf8")) as readonly {
  readonly what: string;
  readonly hex: string;
}[];
/** Only their bytes tell them apart: as text the first two are the third. */
const ALIKE = ["a byte that is never UTF-8", "another such byte", "the sign that stands for such bytes"];
const inQuery = (hex: string): string => `path=${hex.replace(/../g, "%$&")}`;

describe.skipIf(given === undefined)("data server: a mirror of odd paths", () => {
  const both = openedOnce(() => RealMirror.open(given as GivenDataServer), 300_000);

  it("has every object under its own bytes, and shows none before its data is there", async () => {
    for (const { what, hex } of PATHS) {
      const { status } = await both.ofSource("POST", `/branches/main/objects?${inQuery(hex)}`, what);
      expect(status, what).toBe(201);
    }
    await both.commit("main", "last", "last");
    const controllers = new RealControllers(both);
    const controller = controllers.make();
    await controllers.pass(controller);
    const { from, to } = both.folders;
    for (const { what, hex } of PATHS.filter((one) => ALIKE.includes(one.what))) {
      both.replicate();
      const stat = await both.ofSource("GET", `/refs/main/objects/stat?${inQuery(hex)}`);
      const file = relative(from, JSON.parse(stat.text).physical_address.replace("local://", ""));
      rmSync(join(to, file));
      const report = await controllers.pass(controller);
      expect(report, what).toMatchObject({ objectsMissing: 1, commitsPending: 1 });
      expect(report?.reason, what).toContain(`: ${pathText(Buffer.from(hex, "hex"))} of `);
      mkdirSync(dirname(join(to, file)), { recursive: true });
      copyFileSync(join(from, file), join(to, file));
    }
    expect(await controllers.pass(controller)).toMatchObject({ phase: "active" });
    expect(await both.behind()).toEqual([]);
    for (const { what, hex } of PATHS) {
      const read = await both.ofMirror("GET", `/refs/main/objects?${inQuery(hex)}`);
      expect(read, what).toEqual({ status: 200, text: what });
    }
  });
});
