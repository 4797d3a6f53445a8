/** Loads of which memory has not all. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterAll, describe, expect, it } from "vitest";
import { Overflow } from "../../src/compact/overflow.ts";
import { type LoadOptions, loadDatasets } from "../../src/datasets/load-datasets.ts";
import { removeDisk, smallDisk } from "../decision-log/small-disk.ts";
import { LOCAL } from "../directory/backends.ts";
import { openTestDirectory, type TestDirectory } from "../directory/open-test-directory.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { fileFolder } from "./file-folder.ts";

const folder = fileFolder();
const disk = smallDisk();
afterAll(() => disk !== undefined && removeDisk(disk));

/** Their hashes take 480 KB. */
const USERS = 30_000;
const users = (count: number, name = "u") =>
  Array.from({ length: count }, (_, index) => ({ username: `${name}${index}`, groups: ["G"] }));

async function refusalOf(into: TestDirectory, options: Pick<LoadOptions, "files" | "overflow">) {
  try {
    await loadDatasets({ ...into, env: () => undefined, mode: "sync", yes: true, ...options });
  } catch (error) {
    if (error instanceof AuthorizerError) return error;
    throw error;
  }
  throw new Error("not refused");
}

describe("names and texts that are given twice", () => {
  it("are told by their places and counted, wherever the others are kept", async () => {
    const first = users(USERS).map((user, index) => ({ ...user, external_id: `e${index}` }));
    const keys = ["k", "k"].map((access_key_id) => ({ access_key_id, secret_access_key: "s" }));
    const second = [
      ...users(USERS, "v"),
      { username: "twin", external_id: "e29999" },
      {
        username: "keys",
        credentials: [...keys.slice(1), { ...keys[0], access_key_id: "j" }, ...keys.slice(1)],
      },
      { username: "one", external_principals: ["p", "q"] },
      { username: "two", external_principals: ["q"] },
      // What a user has who counts for nothing is not told.
      { username: "u7", external_id: "e8" },
      ...users(1_300, "v"),
    ];
    const files = [
      folder.write("first.json", { format: 1, groups: [{ name: "G" }], users: first }),
      folder.write("second.json", { format: 1, groups: [{ name: "G" }], users: second }),
    ];
    const opened = await openTestDirectory();
    const overflow = new Overflow(temporaryFolder(), 0);
    const inFile = await refusalOf(opened, { files, overflow });
    const inMemory = await refusalOf(opened, { files });
    expect([inFile.code, inFile.problems]).toEqual([inMemory.code, inMemory.problems]);
    overflow.close();

    expect(inFile.message).toContain("the data set has 1305 problems; nothing was loaded");
    const told = inFile.problems.map(({ pointer, message }) => `${pointer}: ${message}`);
    const again = (at: number) => `/users/${30_005 + at}/username: this user is also defined at /users/${at}`;
    expect(told.slice(0, 2)).toEqual([
      `/users/30004/username: this user is also defined at /users/7 of ${files[0]}`,
      again(0),
    ]);
    expect(told.slice(-2)).toEqual([again(998), ": and 305 more"]);
    await opened.close();

    const few = folder.write("few.json", {
      format: 1,
      groups: [{ name: "G" }],
      users: second.slice(0, -1_300),
    });
    const other = await openTestDirectory();
    const problems = (await refusalOf(other, { files: [files[0]!, few] })).problems;
    expect(problems.map(({ pointer, message }) => `${pointer}: ${message}`)).toEqual([
      "/groups/0/name: this group is also defined at /groups/0 of ".concat(files[0]!),
      `/users/30000/external_id: this external id is already given at /users/29999/external_id of ${files[0]}`,
      "/users/30001/credentials/2/access_key_id: this access key is already given at /users/30001/credentials/0/access_key_id",
      "/users/30003/external_principals/0: this external principal is already given at /users/30002/external_principals/1",
      `/users/30004/username: this user is also defined at /users/7 of ${files[0]}`,
    ]);
    await other.close();
  });
});

describe("a load that finds no room", () => {
  const file = folder.write("many.json", { format: 1, groups: [{ name: "G" }], users: users(USERS) });

  it.skipIf(disk === undefined)("on its disk is refused and changes nothing", async () => {
    const opened = await openTestDirectory({ backend: LOCAL });
    const before = opened.store.history.head.revision;
    const overflow = new Overflow(disk, 0);
    const { code, message } = await refusalOf(opened, { files: [file], overflow });
    expect([code, message]).toEqual(["unavailable", expect.stringContaining(`written in ${disk}: ENOSPC`)]);
    expect(opened.store.history.head.revision).toBe(before);
    overflow.close();
    await opened.close();
  });

  it("in its folder is refused and changes nothing", async () => {
    const opened = await openTestDirectory({ backend: LOCAL });
    const before = opened.store.history.head.revision;
    const { code } = await refusalOf(opened, { files: [file], overflow: new Overflow("/none", 0) });
    expect([code, opened.store.history.head.revision]).toEqual(["unavailable", before]);
    await opened.close();
  });

  it("to read its plan again is refused and changes nothing", async () => {
    const opened = await openTestDirectory({ backend: LOCAL });
    const before = opened.store.history.head.revision;
    const overflow = new Overflow();
    let done = 0;
    const small = folder.write("some.json", { format: 1, groups: [{ name: "G" }], users: users(12_000) });
    const load = loadDatasets({
      ...opened,
      files: [small],
      env: () => undefined,
      mode: "load",
      overflow,
      onProgress: ({ phase, done: count }) => {
        if (phase !== "apply") return;
        done = count;
        overflow.get = () => {
          throw new AuthorizerError("unavailable", "a disk has failed");
        };
      },
    });
    await expect(load).rejects.toMatchObject({ code: "unavailable", message: "a disk has failed" });
    expect(done).toBeGreaterThan(0);
    expect(opened.store.history.head.revision).toBe(before);
    expect((await opened.directory.batches.state({ secrets: false })).users.size).toBe(0);
    await opened.close();
  });
});
