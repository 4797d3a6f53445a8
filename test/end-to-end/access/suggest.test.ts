import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cleanUp, newFolder } from "../program.ts";
import { type AccessBed, allow, OBJECTS, openAccessBed } from "./bed.ts";

afterAll(cleanUp);

const object = (id: string) => `${OBJECTS}/data/object/${id}`;
const READS = ["2026/jan/a", "2026/jan/b", "2026/feb/c"];

async function bedWithUse(config = {}): Promise<AccessBed> {
  const bed = await openAccessBed(
    {
      users: [
        { username: "alice", groups: ["Analysts"], policies: ["Wide"] },
        { username: "bob", groups: ["Analysts"] },
      ],
      groups: [{ name: "Analysts", policies: ["ReadData", "Keep"] }],
      policies: [
        { name: "Wide", statement: [allow(["fs:*"], `${OBJECTS}/*`), allow(["auth:*"], "*")] },
        { name: "ReadData", statement: [allow(["fs:Read*", "fs:List*"], `${OBJECTS}/data/*`)] },
        {
          name: "Keep",
          statement: [
            { effect: "deny", action: ["fs:Delete*"], resource: "*" },
            { effect: "deny", action: ["fs:ReadObject"], resource: object("2026/secret/*") },
          ],
        },
      ],
    },
    config,
  );
  for (const id of READS)
    for (const user of ["alice", "bob"]) await bed.check(user, "fs:ReadObject", object(id));
  expect(await bed.check("alice", "fs:WriteObject", object("out/1"))).toBe("allow");
  expect(await bed.check("bob", "fs:ReadObject", object("2026/secret/x"))).toBe("deny");
  return bed;
}

const suggest = async (bed: AccessBed, body: object) => {
  const { status, json } = await bed.call("POST", "/auth/access/suggest", body);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};

describe("a suggestion", () => {
  it("allows nothing for what an earlier user or group of the name used", async () => {
    const bed = await bedWithUse();
    const { users, groups } = bed.authorizer.directory;
    // Dates are in seconds.
    const creation_date = Math.floor(Date.now() / 1_000) + 1;
    await users.delete("alice");
    await users.create({ username: "alice", creation_date });
    await users.attachPolicy("alice", "Wide");
    const found = await suggest(bed, { user: "alice" });
    expect(found).toMatchObject({ decisions: 0, requests: 0 });
    expect(found.warnings).toContain(
      "4 recorded decisions are left out: they are older than the user of this name",
    );
    await groups.addMember("Analysts", "alice");
    // What the group itself gave to the earlier one counts for the group, and what that one had beside it does not.
    expect(await suggest(bed, { group: "Analysts" })).toMatchObject({ decisions: 6, requests: 6 });
    await groups.delete("Analysts");
    await groups.create({ name: "Analysts", creation_date });
    await groups.attachPolicy("Analysts", "ReadData");
    expect(await suggest(bed, { group: "Analysts" })).toMatchObject({ decisions: 0 });
    await expect.poll(() => bed.check("alice", "fs:WriteObject", object("new"))).toBe("allow");
    await expect
      .poll(async () => {
        await bed.check("alice", "fs:WriteObject", object("new"));
        return (await suggest(bed, { user: "alice" })).requests;
      })
      .toBe(1);
  });

  it("for a user is one policy in place of all, with what it is proven to do", async () => {
    const bed = await bedWithUse();
    const found = await suggest(bed, { user: "alice" });
    expect(found.policies).toEqual([
      {
        id: "suggested-alice",
        statement: [
          { effect: "allow", action: ["fs:ReadObject"], resource: object("2026/*") },
          { effect: "allow", action: ["fs:WriteObject"], resource: object("out/1") },
          // Without it, the pattern would allow what is refused today.
          { effect: "deny", action: ["fs:ReadObject"], resource: object("2026/secret/*") },
        ],
      },
    ]);
    expect(found).toMatchObject({
      decisions: 4,
      requests: 4,
      before: { policies: 3, statements: 5 },
      after: { policies: 1, statements: 3 },
      proof: { allowed: 4, wider: 0 },
      node: "node-1",
    });
    expect(found.replaces.map(({ id }: { id: string }) => id)).toEqual(["Keep", "ReadData", "Wide"]);
    expect(found.sources.at(-1)).toEqual([{ policy: "Keep", statement: 1 }]);
  });

  it("for a group is about what its members used through it", async () => {
    const bed = await bedWithUse();
    const found = await suggest(bed, { group: "Analysts", generalise: "none" });
    expect(found.policies).toEqual([
      {
        id: "suggested-Analysts",
        statement: [
          {
            effect: "allow",
            action: ["fs:ReadObject"],
            resource: JSON.stringify([...READS].sort().map(object)),
          },
        ],
      },
    ]);
    // The write was not allowed by the policies of the group.
    expect(found.warnings.join()).toContain("1 recorded decisions are left out");
  });

  it("generalises to repositories, and to nothing where nothing was used", async () => {
    const bed = await bedWithUse();
    const [policy] = (await suggest(bed, { group: "Analysts", generalise: "repository" })).policies;
    expect(policy.statement[0].resource).toBe(`${OBJECTS}/data/*`);
    await bed.authorizer.directory.users.create({ username: "carol" });
    const none = await suggest(bed, { user: "carol" });
    expect([none.policies, none.warnings[0]]).toEqual([
      [],
      expect.stringContaining("no allowed decision is recorded"),
    ]);
  });

  it("is printed as a document that becomes a policy, under which everything is allowed again", async () => {
    const bed = await bedWithUse();
    const cwd = newFolder();
    const { code, stdout, stderr } = await bed.run(["access", "suggest", "--user", "alice"]);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain(
      "3 policies with 5 statements (Keep, ReadData, Wide) -> 1 policy with 3 statements",
    );
    writeFileSync(join(cwd, "alice.json"), stdout);
    const create = ["auth", "policies", "create", "--id", "Alice", "--statement-document", "alice.json"];
    expect((await bed.run(create, cwd)).code).toBe(0);
    const { users } = bed.authorizer.directory;
    await users.attachPolicy("alice", "Alice");
    await users.detachPolicy("alice", "Wide");
    await bed.authorizer.directory.groups.removeMember("Analysts", "alice");
    for (const id of READS) expect(await bed.check("alice", "fs:ReadObject", object(id))).toBe("allow");
    expect(await bed.check("alice", "fs:ReadObject", object("2026/secret/x"))).toBe("deny");
    expect(await bed.check("alice", "fs:WriteObject", object("out/2"))).toBe("neutral");
  });

  it.each([
    [{ "authorizer.decision_log.include": "denied" }, "authorizer.decision_log.include is denied"],
    [{ "authorizer.decision_log.include": "none" }, "authorizer.decision_log.include is none"],
    [{ "authorizer.decision_log.mask": ["/subject/id"] }, "authorizer.decision_log.mask hides /subject/id"],
  ])("is refused where records do not tell: %j", async (config, message) => {
    const bed = await openAccessBed({ users: [{ username: "alice" }], policies: [] }, config);
    const { status, json } = await bed.call("POST", "/auth/access/suggest", { user: "alice" });
    expect([status, json.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it("says that decisions were recorded otherwise before, and that records are lost", async () => {
    const directory = newFolder();
    const config = { "authorizer.decision_log.directory": directory };
    const before = await openAccessBed(
      {
        users: [{ username: "alice", policies: ["Wide"] }],
        policies: [{ name: "Wide", statement: [allow(["fs:*"], "*")] }],
      },
      { ...config, "authorizer.decision_log.include": "denied" },
    );
    expect(await before.check("alice", "fs:ReadObject", object("unrecorded"))).toBe("allow");
    for (const id of ["refused", "refused too"])
      expect(await before.check("nobody", "fs:ReadObject", object(id))).toBe("neutral");
    await before.authorizer.close();
    // A line of a log whose disk was full for a while.
    const segment = join(directory, "node-1-0", "0000000001.jsonl");
    const damaged = readFileSync(segment, "utf8").replace('{"format":1', '{"format":2 2');
    writeFileSync(segment, damaged);
    const bed = await bedWithUse(config);
    const { warnings } = await suggest(bed, { user: "alice" });
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^decisions are recorded as they are now since 20.* only/),
        expect.stringMatching(/^1 records of that time are lost/),
      ]),
    );
    const listed = await bed.call("GET", "/decisions");
    expect(listed.json.lost).toBe(1);
    expect((await bed.run(["decisions", "list"])).stderr).toContain("warning: 1 record of that time is lost");
  });

  it("says what is wrong with a question", async () => {
    const bed = await openAccessBed({ users: [], policies: [] });
    const messages = async (body: object) => {
      const { status, json } = await bed.call("POST", "/auth/access/suggest", body);
      return [status, json.message];
    };
    expect(await messages({})).toEqual([400, "give either user or group"]);
    expect(await messages({ user: "a", group: "b" })).toEqual([400, "give either user or group"]);
    expect(await messages({ user: "nobody" })).toEqual([404, "no such user or group"]);
    expect(
      await messages({ user: "root", since: "2026-01-02T00:00:00Z", until: "2026-01-01T00:00:00Z" }),
    ).toEqual([400, "until: must be after since"]);
    expect((await messages({ user: "root", generalise: "all" }))[0]).toBe(400);
    expect((await bed.run(["access", "suggest"])).stderr).toContain("give either --user or --group");
  });
});
