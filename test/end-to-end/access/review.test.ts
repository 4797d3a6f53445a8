import { afterAll, describe, expect, it } from "vitest";
import { cleanUp } from "../program.ts";
import { type AccessBed, allow, OBJECTS, openAccessBed } from "./bed.ts";

afterAll(cleanUp);

const HOSTILE = '<img src=x onerror="alert(1)">';
const YEAR_AGO = 1_600_000_000;

async function open(): Promise<AccessBed> {
  const bed = await openAccessBed({
    users: [
      { username: "alice", groups: ["Analysts"] },
      { username: "bob", groups: ["Analysts"] },
      { username: "helpdesk", policies: ["Helpdesk"] },
      {
        username: HOSTILE,
        credentials: [
          {
            access_key_id: "AKIAJOLDOLDOLDOLDOLQ",
            secret_access_key: "o".repeat(40),
            creation_date: YEAR_AGO,
          },
        ],
      },
    ],
    groups: [
      { name: "Analysts", policies: ["ReadData"] },
      { name: "Bosses", policies: ["All"] },
    ],
    policies: [
      {
        name: "ReadData",
        accept: [
          { rule: "dead-allow", sid: "Reads", reason: "Lists <follow> in May." },
          { rule: "idle-action", sid: "Other", reason: "Not of these statements." },
          { rule: "broad-action", reason: "=All of it." },
        ],
        statement: [
          { sid: "Reads", ...allow(["fs:ReadObject", "fs:ListObjects"], `${OBJECTS}/data/*`) },
          { effect: "deny", action: ["fs:ListObjects"], resource: "*" },
        ],
      },
      { name: "Helpdesk", statement: [allow(["auth:AddGroupMember"], "arn:svc:auth:::group/*")] },
    ],
  });
  await bed.check("alice", "fs:ReadObject", `${OBJECTS}/data/object/a`);
  return bed;
}

describe("a review", () => {
  it("says who may do what through what, and who can become an administrator by which steps", async () => {
    const bed = await open();
    const { status, json } = await bed.call("GET", "/auth/access/review");
    expect(status, JSON.stringify(json)).toBe(200);
    expect(json.administrators).toEqual([
      { user: "root", steps: [] },
      {
        user: "helpdesk",
        steps: [
          {
            operation: "addGroupMembership",
            as: "helpdesk",
            values: { groupId: "Bosses", userId: "helpdesk" },
            allowed_by: [{ policy: "Helpdesk", statement: 0 }],
          },
        ],
      },
    ]);
    expect(json.undecided).toEqual([]);
    const analysts = json.access.find(({ groups }: { groups: string[] }) => groups.includes("Analysts"));
    expect(analysts.users).toEqual([{ id: "alice", last_used: expect.any(Number) }, { id: "bob" }]);
    expect(analysts.rights).toEqual([
      {
        type: "object",
        // The list is denied.
        verbs: ["read"],
        resources: [`${OBJECTS}/data/*`],
        policy: "ReadData",
        statement: 0,
        sid: "Reads",
        via: [{ group: "Analysts" }],
        conditional: false,
        last_used: expect.any(Number),
      },
    ]);
    expect(json.accepted).toEqual([
      { policy: "ReadData", rule: "dead-allow", sid: "Reads", reason: "Lists <follow> in May." },
      { policy: "ReadData", rule: "idle-action", sid: "Other", reason: "Not of these statements." },
      { policy: "ReadData", rule: "broad-action", reason: "=All of it." },
    ]);
    expect(json.old_keys).toEqual([
      { access_key_id: "AKIAJOLDOLDOLDOLDOLQ", user: HOSTILE, creation_date: YEAR_AGO },
    ]);
    expect(json.counts).toEqual({ users: 5, groups: 2, policies: 3, keys: 2 });
  });

  it("says what changed since a time, and by whom", async () => {
    const bed = await open();
    const since = new Date().toISOString();
    await bed.call("POST", "/auth/groups", { id: "New" });
    await bed.call("PUT", "/auth/groups/New/members/alice");
    const { json } = await bed.call("GET", `/auth/access/review?since=${since}`);
    expect(json.changes.map(({ actors, groups }: Record<string, unknown>) => [actors, groups])).toEqual([
      [["root"], ["New"]],
      [["root"], ["New"]],
    ]);
  });

  it("is one HTML file without outside references or scripts, whatever names contain", async () => {
    const bed = await open();
    const { code, stdout, stderr } = await bed.run(["access", "review"]);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain("helpdesk adds user helpdesk to group Bosses");
    expect(stdout).toContain("&lt;img src=x");
    expect(stdout).toContain("(allowed by Helpdesk, statement 0)");
    expect(stdout).toContain("ReadData, statement 0 (Reads)");
    expect(stdout).toContain(">accepts dead-allow, broad-action<");
    expect(stdout).toContain("<td>Reads</td><td>dead-allow</td><td>Lists &lt;follow&gt; in May.</td>");
    expect(stdout).not.toMatch(
      /<(script|link|img|iframe|object|embed)|\bsrc\s*=\s*["']|href=|url\(|@import/i,
    );
    expect(stdout).toContain("@media print");
    const opened = stdout.match(/<(table|tr|td|ol|li|p|h[123]|div|strong|code|span)\b/g) ?? [];
    const closed = stdout.match(/<\/(table|tr|td|ol|li|p|h[123]|div|strong|code|span)>/g) ?? [];
    expect(opened.length).toBe(closed.length);
  });

  it("is CSV with a row for each right of each user, and JSON", async () => {
    const bed = await open();
    const csv = (await bed.run(["access", "review", "--format", "csv"])).stdout;
    expect(csv).toContain(
      `right,bob,object,read,${OBJECTS}/data/*,"ReadData, statement 0 (Reads); group Analysts",no,`,
    );
    expect(csv).toMatch(/^right,bob,.*,"accepts dead-allow, broad-action"\r$/m);
    expect(csv).toContain('accepted finding,,,,,"ReadData, Reads",,,dead-allow: Lists <follow> in May.\r\n');
    expect(csv).toContain("accepted finding,,,,,ReadData,,,broad-action: =All of it.\r\n");
    expect(csv).toContain("can become administrator,helpdesk,");
    expect(csv).toContain("administrator,root,");
    const json = JSON.parse((await bed.run(["access", "review", "--format", "json"])).stdout);
    expect(json.node).toBe("node-1");
    expect((await bed.run(["access", "review", "--format", "pdf"])).code).toBe(1);
    expect((await bed.run(["-o", "csv", "access", "review"])).stdout).toBe(csv);
    expect(JSON.parse((await bed.run(["access", "review", "-o", "json"])).stdout)).toMatchObject({
      node: json.node,
      counts: json.counts,
      since: expect.any(String),
    });
  });
});
