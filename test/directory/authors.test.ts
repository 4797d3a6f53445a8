/** For whom writes are made: the name in the log, and the right that is judged in the state of each attempt. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Author, JudgedState } from "../../src/directory/directory.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { BACKENDS } from "./backends.ts";
import { openDirectoryOn, openTestDirectory, type TestDirectory } from "./open-test-directory.ts";

const READS = [{ effect: "allow", action: ["fs:ReadObject"], resource: "*" }] as const;

describe.each(BACKENDS)("authors on $name", (backend) => {
  let bed: TestDirectory;
  /** The same store as another process would have it. */
  let other: OpenedDirectory;

  beforeEach(async () => {
    bed = await openTestDirectory({ backend });
    other = await openDirectoryOn(bed.store);
    await bed.directory.users.create({ username: "admin" });
    await bed.directory.users.create({ username: "é" });
    await bed.directory.policies.create({ name: "Rights", statement: READS });
    await bed.directory.users.attachPolicy("admin", "Rights");
  });
  afterEach(async () => {
    await other.close();
    await bed.close();
  });

  const newest = async () => (await bed.store.changes(bed.store.history.head.revision - 1, 1))![0]!.useCases;

  /** Somebody who may write while he holds the policy `Rights`; `meanwhile` runs after the first look. */
  function holder(meanwhile: () => Promise<void> = async () => {}): Author & { judged: number } {
    const author = {
      name: "admin",
      judged: 0,
      judge: async (state: JudgedState) => {
        author.judged += 1;
        const principal = await state.principal("admin");
        const holds = principal?.policies.some(({ name }) => name === "Rights") === true;
        if (author.judged === 1) await meanwhile();
        if (!holds) throw new AuthorizerError("not_allowed", "no longer");
      },
    };
    return author;
  }

  const write = (author: Author) =>
    bed.directory.actingFor(author, () => bed.directory.users.update("é", { friendly_name: "E" }));

  it("are named in the log, with what they touched by name", async () => {
    await write({ name: "admin" });
    expect(await newest()).toEqual([{ actor: "admin", touched: { users: ["é"] } }]);
    await bed.directory.users.attachPolicy("é", "Rights");
    expect(await newest()).toEqual([{ touched: { users: ["é"], policies: ["Rights"] } }]);
    await bed.directory.groups.create({ name: "G" });
    await bed.directory.groups.addMember("G", "é");
    expect(await newest()).toEqual([{ touched: { users: ["é"], groups: ["G"] } }]);
    await bed.directory.credentials.create("é", { access_key_id: "K", secret_access_key: "s" });
    expect(await newest()).toEqual([{ touched: { users: ["é"] } }]);
    await bed.directory.groups.attachPolicy("G", "Rights");
    expect(await newest()).toEqual([{ touched: { groups: ["G"], policies: ["Rights"] } }]);
  });

  it("write what their right lets them, judged once", async () => {
    const author = holder();
    await write(author);
    expect(author.judged).toBe(1);
  });

  it("are judged again where another commit touched what their right depends on, and refused without it", async () => {
    const before = bed.store.history.head.revision;
    const author = holder(() => other.users.detachPolicy("admin", "Rights"));
    await expect(write(author)).rejects.toMatchObject({ code: "not_allowed" });
    expect(author.judged).toBe(2);
    expect(bed.store.history.head.revision).toBe(before + 1);
    expect((await bed.directory.users.get("é")).friendly_name).toBeUndefined();
  });

  it.each<[string, () => Promise<unknown>]>([
    ["the policy", () => other.policies.update({ name: "Rights", statement: READS })],
    ["the user", () => other.users.update("admin", { friendly_name: "A" })],
    [
      "a group that came",
      async () => {
        await other.groups.create({ name: "New" });
        await other.groups.addMember("New", "admin");
      },
    ],
  ])("are judged again where another commit touched %s, and write with it", async (_, meanwhile) => {
    const author = holder(async () => void (await meanwhile()));
    await write(author);
    expect(author.judged).toBe(2);
    expect((await bed.directory.users.get("é")).friendly_name).toBe("E");
  });

  it("are not judged again for what has nothing to do with them", async () => {
    const author = holder(() => other.groups.create({ name: "G" }).then(() => undefined));
    await write(author);
    expect(author.judged).toBe(1);
  });

  it("are judged by whoever was added, too", async () => {
    const refuse = () => Promise.reject(new AuthorizerError("not_allowed", "never"));
    const author = holder();
    await expect(
      bed.directory.actingFor(author, () =>
        bed.directory.alsoJudged(refuse, () => bed.directory.users.delete("é")),
      ),
    ).rejects.toMatchObject({ code: "not_allowed", message: "never" });
    expect(author.judged).toBe(1);
    expect((await bed.directory.users.get("é")).username).toBe("é");
  });
});
