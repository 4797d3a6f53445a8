import { afterAll, describe, expect, it } from "vitest";
import { cleanUp } from "../program.ts";
import { type AccessBed, allow, OBJECTS, openAccessBed } from "./bed.ts";

afterAll(cleanUp);

const DENY = { effect: "deny", action: ["fs:DeleteObject"], resource: "*", sid: "Keep" };

function open(config = {}): Promise<AccessBed> {
  return openAccessBed(
    {
      users: [
        { username: "alice", groups: ["Readers"], policies: ["Writes"] },
        { username: "bob", groups: ["Readers"] },
      ],
      groups: [
        { name: "Readers", policies: ["Reads"] },
        { name: "Nobody", policies: ["Reads"] },
      ],
      policies: [
        {
          name: "Reads",
          statement: [allow(["fs:ReadObject", "fs:ListObjects"], `${OBJECTS}/data/*`), DENY],
        },
        { name: "Writes", statement: [allow(["fs:WriteObject"], `${OBJECTS}/data/*`)] },
      ],
    },
    config,
  );
}

type Entry = Record<string, unknown> & { kind: string };

interface Found {
  readonly users: readonly Entry[];
  readonly keys: readonly Entry[];
  readonly groups: readonly Entry[];
  readonly policies: readonly Entry[];
  readonly statements: readonly Entry[];
  readonly actions: readonly Entry[];
  readonly results: readonly Entry[];
  readonly pagination: object;
  readonly nodes: readonly object[];
  readonly counted_since: string;
  readonly warnings: readonly string[];
}

const unused = async (bed: AccessBed, query = ""): Promise<Found> => {
  const { status, json } = await bed.call("GET", `/auth/access/unused${query}`);
  expect(status, JSON.stringify(json)).toBe(200);
  const all: Entry[] = json.results;
  const of = (kind: string): Entry[] =>
    all.filter((one) => one.kind === kind).map(({ kind: _, ...entry }) => entry as Entry);
  return {
    ...json,
    users: of("user"),
    keys: of("key"),
    groups: of("group"),
    policies: of("policy"),
    statements: of("statement"),
    actions: of("actions"),
  };
};

describe("access that is not used", () => {
  it("is named by kind, and what is used is not", async () => {
    const bed = await open();
    expect(await bed.check("alice", "fs:ReadObject", `${OBJECTS}/data/object/a`)).toBe("allow");
    const found = await unused(bed);
    expect(found.users.map((one) => one["id"])).toEqual(["bob"]);
    expect(found.keys).toEqual([]);
    expect(found.groups).toEqual([{ id: "Nobody", creation_date: expect.any(Number), members: 0 }]);
    expect(found.policies).toEqual([{ id: "Writes", attached: 1 }]);
    expect(found.statements).toEqual([{ policy: "Reads", statement: 1, sid: "Keep", effect: "deny" }]);
    expect(found.actions.filter((one) => one["policy"] === "Reads")).toEqual([
      { policy: "Reads", statement: 0, unused: ["fs:ListObjects"] },
    ]);
    expect(found.pagination).toEqual({
      has_more: false,
      max_per_page: 1_000,
      results: found.results.length,
      next_offset: "",
    });
    expect(found.nodes).toEqual([{ node: "node-1", counted_since: found.counted_since }]);
  });

  it("shows the findings of lint that a policy accepts, of a statement only what concerns it", async () => {
    const bed = await open();
    await bed.check("alice", "fs:ReadObject", `${OBJECTS}/data/object/a`);
    const accept = [
      { rule: "stopped", sid: "Keep", reason: "Nothing is lost." },
      { rule: "idle-action", reason: "For May." },
    ];
    for (const name of ["Reads", "Writes"]) {
      const { json } = await bed.call("GET", `/auth/policies/${name}`);
      const { statement } = json;
      await bed.call("PUT", `/auth/policies/${name}`, { id: name, accept, statement });
    }
    const found = await unused(bed);
    expect(found.policies.map(({ id, accept: shown }) => [id, shown])).toEqual([["Writes", accept]]);
    expect(found.statements.map(({ sid, accept: shown }) => [sid, shown])).toEqual([["Keep", accept]]);
    expect(found.actions.map(({ accept: shown }) => shown)).toContainEqual([accept[1]]);

    const { stdout } = await bed.run(["access", "unused", "--all", "-o", "csv"]);
    expect(stdout).toContain(
      "deny statement 1 (Keep); accepts stopped: Nothing is lost., idle-action: For May.",
    );
    expect(stdout).toContain("1 attachment; accepts stopped: ");
  });

  it("becomes used by a decision, and unused by time", async () => {
    const bed = await open();
    await bed.check("alice", "fs:DeleteObject", `${OBJECTS}/data/object/a`);
    await bed.check("alice", "fs:WriteObject", `${OBJECTS}/data/object/a`);
    const found = await unused(bed);
    expect(found.statements.map((one) => one["statement"])).toEqual([0]);
    expect(found.policies).toEqual([]);
    const later = await unused(bed, `?since=${new Date(Date.now() + 3_600_000).toISOString()}`);
    const alice = later.users.find((one) => one["id"] === "alice");
    expect(alice?.["last_used"]).toBeGreaterThan(1_700_000_000);
    expect(later.policies.map((one) => one["id"])).toEqual(["All", "Reads", "Writes"]);
  });

  it("stays with a statement when others of its policy change, and begins anew with its own change", async () => {
    const bed = await open();
    await bed.check("alice", "fs:ReadObject", `${OBJECTS}/data/object/a`);
    const { policies } = bed.authorizer.directory;
    const { statement } = await policies.get("Reads");
    const [reads] = statement;
    await policies.update({ name: "Reads", statement: [DENY, reads!] });
    expect((await unused(bed)).statements.map((one) => one["statement"])).toEqual([0]);
    await policies.update({ name: "Reads", statement: [{ ...reads!, action: ["fs:ReadObject"] }] });
    expect((await unused(bed)).policies.map((one) => one["id"])).toEqual(["Reads", "Writes"]);
  });

  it("says what it cannot know", async () => {
    const bed = await open();
    const before = await unused(bed);
    expect(before.warnings).toHaveLength(1);
    await fetch(`${bed.authorizer.url}/api/v1/auth/users/bob/policies?effective=true`, {
      headers: { authorization: `Bearer ${bed.authorizer.token}` },
    });
    const after = await unused(bed);
    expect(after.warnings[1]).toContain("data servers read effective policies and decided by themselves");
    expect(after.users.map((one) => one["id"])).not.toContain("bob");
  });

  it("is listed by svcctl, and refused to who may not read decisions", async () => {
    const bed = await open();
    await bed.check("alice", "fs:ReadObject", `${OBJECTS}/data/object/a`);
    const { code, stdout, stderr } = await bed.run(["access", "unused", "--since", "1h", "-o", "csv"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toContain("user,bob,,");
    expect(stdout).toContain("statement,Reads,deny statement 1 (Keep),");
    expect(stdout).toContain("actions,Reads,statement 0: fs:ListObjects,");
    expect(stderr).toContain("warning: Usage has been recorded only since");
    expect((await bed.run(["access", "unused", "--since", "soon"])).stderr).toContain("expected a time");
    expect((await bed.call("GET", "/auth/access/unused?since=soon")).status).toBe(400);
    await bed.authorizer.directory.users.detachPolicy("root", "All");
    expect((await bed.call("GET", "/auth/access/unused")).status).toBe(401);
  });

  it("is not known where use is not counted", async () => {
    const bed = await open({ "authorizer.usage.interval": "0s" });
    const { status, json } = await bed.call("GET", "/auth/access/unused");
    expect([status, json.message]).toEqual([400, "use is not counted (authorizer.usage.interval is 0s)"]);
  });
});
