/** Versions of policies and histories over the user listener: rights, pages, escalation, and what is restored. */

import { beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { type Management, startManagement } from "./kit.ts";

const api = await closedAfterAll(startManagement({ "authorizer.escalation": "deny" }));
beforeEach(() => api.authorizer.reset());

/** `N.LOG.ENTRY`. */
const POSITION = /^\d+(\.[\w-]{8}){2}$/;
const statement = (action: string) => [{ effect: "allow", action: [action], resource: "*" }];
const READS = statement("fs:ReadObject");
const LISTS = statement("fs:ListObjects");

/** Writes the policy `Data` twice; gives its versions, newest first. */
async function twice(): Promise<readonly { readonly revision: number; readonly position: string }[]> {
  await api.call("admin", "POST", "/auth/policies", { body: { id: "Data", statement: READS } });
  await api.call("admin", "PUT", "/auth/policies/Data", { body: { id: "Data", statement: LISTS } });
  return (await api.call("admin", "GET", "/auth/policies/Data/versions")).json.results;
}

describe("versions of a policy", () => {
  it("are listed newest first, with who wrote them and when", async () => {
    const [second, first] = await twice();
    expect(second).toEqual({
      revision: expect.any(Number),
      position: expect.stringMatching(POSITION),
      at: expect.stringMatching(/^20\d\d-.*Z$/),
      actors: ["admin"],
      removed: false,
      statement: LISTS,
    });
    expect(first).toMatchObject({ actors: ["admin"], removed: false, statement: READS });
    expect(first!.revision).toBeLessThan(second!.revision);
    const page = await api.call("admin", "GET", "/auth/policies/Data/versions?amount=1");
    expect(page.json.results).toEqual([second]);
    expect(page.json.pagination).toMatchObject({ has_more: true, next_offset: second!.position });
    // Earlier versions gave a revision alone.
    for (const after of [second!.position, second!.revision]) {
      const next = `/auth/policies/Data/versions?amount=1&after=${after}`;
      expect((await api.call("admin", "GET", next)).json.results).toEqual([first]);
    }
    await api.call("admin", "DELETE", "/auth/policies/Data");
    const [removal] = (await api.call("admin", "GET", "/auth/policies/Data/versions")).json.results;
    expect(removal).toMatchObject({ removed: true, actors: ["admin"] });
    expect(removal).not.toHaveProperty("statement");
  });

  it("are read one by one; a revision that did not write the policy is not found", async () => {
    const [, first] = await twice();
    const path = "/auth/policies/Data/versions";
    expect((await api.call("manager", "GET", `${path}/${first!.revision}`)).status).toBe(200);
    for (const name of [first!.revision, first!.position]) {
      expect((await api.call("admin", "GET", `${path}/${name}`)).json).toEqual(first);
    }
    for (const other of [first!.revision - 1, 0, 10 ** 15 - 1]) {
      expect((await api.call("admin", "GET", `${path}/${other}`)).status).toBe(404);
    }
    expect((await api.call("admin", "GET", `${path}/latest`)).status).toBe(400);
    expect((await api.call("admin", "GET", `${path}?after=x`)).status).toBe(400);
    expect((await api.call("plain", "GET", path)).status).toBe(401);
  });

  it("are restored as a new version", async () => {
    const [, first] = await twice();
    const body = { position: first!.position };
    const restored = await api.call("admin", "POST", "/auth/policies/Data/restore", { body });
    expect(restored.json).toMatchObject({ id: "Data", statement: READS });
    const { results } = (await api.call("admin", "GET", "/auth/policies/Data/versions")).json;
    expect(results.map((one: { statement: unknown }) => one.statement)).toEqual([READS, LISTS, READS]);
    const other = { body: { position: results[0].position } };
    expect((await api.call("admin", "POST", "/auth/policies/Reads/restore", other)).status).toBe(404);
    expect((await api.call("admin", "POST", "/auth/policies/None/restore", { body })).status).toBe(404);
    for (const wrong of [{}, { revision: first!.revision }, { position: String(first!.revision) }]) {
      expect((await api.call("admin", "POST", "/auth/policies/Data/restore", { body: wrong })).status).toBe(
        400,
      );
    }
  });

  it("are neither shown nor restored by a position that the log does not have", async () => {
    const [, first] = await twice();
    const [revision, log, entry] = first!.position.split(".") as [string, string, string];
    const lost = [`${revision}.${log}.--------`, "went_back"];
    const ahead = [`1000000.${log}.${entry}`, "went_back"];
    const other = [`${revision}.--------.${entry}`, "other_log"];
    const unnamed = [`${revision}.${log}`, "went_back"];
    for (const [position, code] of [lost, ahead, other, unnamed]) {
      const asked = await Promise.all([
        api.call("admin", "GET", `/auth/policies/Data/versions/${position}`),
        api.call("admin", "GET", `/auth/policies/Data/versions?after=${position}`),
        api.call("admin", "GET", `/auth/history?about=policy:Data&after=${position}`),
        api.call("admin", "GET", `/auth/access/directory?revision=${position}`),
        api.call("admin", "POST", "/auth/policies/Data/restore", { body: { position } }),
      ]);
      for (const { status, json } of asked) expect([status, json.code]).toEqual([409, code]);
    }
    const { statement } = (await api.call("admin", "GET", "/auth/policies/Data")).json;
    expect(statement).toEqual(LISTS);
    const then = await api.call("admin", "GET", `/auth/access/directory?revision=${first!.position}`);
    expect(then.json.policies).toContainEqual(expect.objectContaining({ name: "Data", statement: READS }));
  });

  it("are not restored by who may not write, or where they give more than the caller holds", async () => {
    const wide = statement("*");
    await api.call("admin", "POST", "/auth/policies", { body: { id: "Wide", statement: wide } });
    await api.call("admin", "PUT", "/auth/policies/Wide", { body: { id: "Wide", statement: READS } });
    const { results } = (await api.call("admin", "GET", "/auth/policies/Wide/versions")).json;
    const body = { position: results[1].position };
    expect((await api.call("viewer", "POST", "/auth/policies/Wide/restore", { body })).status).toBe(401);
    const refused = await api.call("manager", "POST", "/auth/policies/Wide/restore", { body });
    expect([refused.status, refused.json.message]).toEqual([
      403,
      expect.stringContaining('grants more than "manager" holds'),
    ]);
    expect((await api.call("admin", "GET", "/auth/policies/Wide")).json.statement).toEqual(READS);
  });
});

describe("a history", () => {
  const about = (who: Parameters<Management["call"]>[0], thing: string, more = "") =>
    api.call(who, "GET", `/auth/history?about=${thing}${more}`);

  it("says who changed a user, newest first, and names nothing else", async () => {
    await api.call("admin", "PUT", "/auth/users/target/policies/Writes");
    await api.call("manager", "PUT", "/auth/groups/Readers/members/target");
    const { results, pagination } = (await about("admin", "user:target")).json;
    expect(results.slice(0, 2)).toEqual([
      {
        revision: expect.any(Number),
        position: expect.stringMatching(POSITION),
        at: expect.any(String),
        actors: ["manager"],
        touched: ["users", "groups"],
      },
      {
        revision: expect.any(Number),
        position: expect.stringMatching(POSITION),
        at: expect.any(String),
        actors: ["admin"],
        touched: ["users", "policies"],
      },
    ]);
    expect(pagination.max_per_page).toBe(100);
    const page = (await about("admin", "user:target", "&amount=1")).json;
    expect(page.results).toEqual([results[0]]);
    const next = await about("admin", "user:target", `&after=${page.pagination.next_offset}&amount=1`);
    expect(next.json.results).toEqual([results[1]]);
    expect(JSON.stringify(results)).not.toContain("Readers");
  });

  it("needs the right to read the thing, and a thing of a known kind", async () => {
    for (const thing of ["user:target", "group:Readers", "policy:Reads"]) {
      expect((await about("manager", thing)).status).toBe(200);
      expect((await about("plain", thing)).status).toBe(401);
    }
    for (const wrong of ["", "user", "user:", "key:x", ":x"]) {
      expect((await about("admin", wrong)).status).toBe(400);
    }
    expect((await about("admin", "user:nobody")).json.results).toEqual([]);
  });
});
