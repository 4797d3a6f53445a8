import { existsSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { bootstrap } from "../../src/bootstrap/bootstrap.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import { openDirectoryOn } from "../directory/open-test-directory.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Two machines that start at the same time over one database. */
describe("two nodes that fill one store at once", () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder();
  });

  it("make one administrator; the loser keeps no file and knows who has the credentials", async () => {
    const engine = new MemoryEngine();
    const catalog = await openCatalog({ partition: "svc" });
    const files = ["one.json", "other.json"].map((name) => join(folder, name));
    const nodes = await Promise.all(files.map(() => openNode(sharedBy(engine))));
    const directories = await Promise.all(nodes.map((node) => openDirectoryOn(node)));
    const reports = await Promise.all(
      directories.map((directory, index) =>
        bootstrap({
          directory,
          catalog,
          mode: "external",
          defaultUserGroup: "Viewers",
          admin: {},
          adminFile: files[index]!,
        }),
      ),
    );
    expect(reports.map(({ outcome }) => outcome).sort()).toEqual(["installed", "unchanged"]);
    const winner = reports.findIndex(({ outcome }) => outcome === "installed");
    expect(files.map((file) => existsSync(file))).toEqual(winner === 0 ? [true, false] : [false, true]);
    expect(reports[1 - winner]?.elsewhere).toEqual({ host: hostname(), file: files[winner] });
    const { access_key_id } = JSON.parse(readFileSync(files[winner]!, "utf8")) as { access_key_id: string };
    for (const [index, directory] of directories.entries()) {
      await nodes[index]!.catchUp();
      expect((await directory.credentials.getWithSecret(access_key_id)).username).toBe("admin");
      await directory.close();
      await nodes[index]!.close();
    }
  });
});
