import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { explain } from "@svc-authorizer/policy/engine/explain/explain.ts";
import type { Statement } from "@svc-authorizer/policy/model/policy.ts";
import { beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { openedEach } from "../opened.ts";
import { openWorld } from "./world.ts";

const R = "arn:svc:demo:::record/";
const TYPE = { type: "record", arn: `${R}{id}`, id: "{id}", actions: { read: "demo:Read" } };
const PAGE = { page: { limit: 100 } };

const world = openedEach(() => openWorld({ policiesPerUser: 2 }));

const allow = (resource: string, action = "demo:Read"): Statement => ({
  effect: "allow",
  action: [action],
  resource,
});
const policy = (name: string, ...statement: Statement[]): BatchOperation => ({
  op: "put_policy",
  policy: { name, statement },
});
const user = (username: string, ...policies: string[]): BatchOperation[] => [
  { op: "put_user", user: { username } },
  ...policies.map((name) => ({ op: "attach_to_user" as const, username, policy: name })),
];
const apply = (...operations: BatchOperation[]): Promise<unknown> =>
  world.directory.batches.apply(operations, { managed: false });

async function readers(id = "r"): Promise<string[]> {
  const { results } = await world.decisions.searches.subjects({
    subject: { type: "user" },
    action: { name: "read" },
    resource: { type: "record", id },
    ...PAGE,
  });
  return results.map((one) => one.id);
}

describe("a search for users", () => {
  beforeEach(() =>
    apply({ op: "put_resource_type", resourceType: TYPE }, policy("p", allow(`${R}*`)), ...user("a", "p")),
  );

  it.each(["subjects", "resources", "actions", "whoCan", "whatCan"] as const)(
    "ends when nobody waits for it any more: %s",
    async (search) => {
      const entities = {
        subject: { type: "user", id: "a" },
        action: { name: "read" },
        resource: { type: "record", id: "r" },
      };
      const question = { user: "a", action: "demo:Read", resource: `${R}r`, context: new Map() };
      const asked = search === "whoCan" || search === "whatCan" ? question : entities;
      const gone = AbortSignal.abort(new Error("gone"));
      const found = world.decisions.searches[search]({ ...asked, ...PAGE } as never, gone);
      await expect(found).rejects.toThrow("gone");
    },
  );

  it("sees every change at once", async () => {
    const { directory } = world;
    expect(await readers()).toEqual(["a"]);
    await apply(policy("q", allow(`${R}r`)), ...user("b", "q"));
    expect(await readers()).toEqual(["a", "b"]);
    await directory.policies.update({ name: "q", statement: [{ ...allow(`${R}r`), effect: "deny" }] });
    expect(await readers()).toEqual(["a"]);
    await directory.users.attachPolicy("a", "q");
    expect(await readers()).toEqual([]);
    await directory.policies.delete("q");
    expect(await readers()).toEqual(["a"]);
    await directory.users.delete("a");
    await directory.users.create({ username: "a" });
    expect(await readers()).toEqual([]);
  });

  it("leaves out whoever has a policy that cannot be evaluated, whatever that is about", async () => {
    const office = { IpAddress: { SourceIp: ["10.0.0.0/8"] } };
    await apply(
      policy("ip", { ...allow("arn:svc:auth:::user/*", "auth:ReadUser"), condition: office }),
      ...user("b", "p", "ip"),
    );
    const search = (SourceIp: string) =>
      world.decisions.searches.subjects({
        subject: { type: "user" },
        action: { name: "read" },
        resource: { type: "record", id: "r" },
        context: { SourceIp },
        ...PAGE,
      });
    expect((await search("10.1.2.3")).results).toHaveLength(2);
    expect((await search("no address")).results).toEqual([{ type: "user", id: "a" }]);
  });

  it("leaves out whoever has more policies than are looked at", async () => {
    await apply(
      policy("x", allow("*", "demo:X")),
      policy("y", allow("*", "demo:Y")),
      ...user("b", "p", "x", "y"),
    );
    expect(await readers()).toEqual(["a"]);
  });

  it("finds for two callers at once what it finds for one", async () => {
    expect(await Promise.all([readers(), readers("s"), readers()])).toEqual([["a"], ["a"], ["a"]]);
  });
});

describe("a search for resources", () => {
  it("leaves out ids that their type reads no more", async () => {
    await apply(
      { op: "put_resource_type", resourceType: TYPE },
      ...["a", "b/c"].map((id) => ({ op: "put_resource" as const, resource: { type: "record", id } })),
      policy("p", allow("*")),
      ...user("a", "p"),
    );
    const search = async () =>
      (
        await world.decisions.searches.resources({
          subject: { type: "user", id: "a" },
          action: { name: "read" },
          resource: { type: "record" },
          ...PAGE,
        })
      ).results.map(({ id }) => id);
    expect(await search()).toEqual(["a", "b/c"]);
    await apply({
      op: "put_resource_type",
      resourceType: { ...TYPE, arn: `${R}{folder}/{id}`, id: "{folder}/{id}" },
    });
    expect(await search()).toEqual(["b/c"]);
  });
});

describe("an explanation", () => {
  const statements = Array.from({ length: 200 }, (_, index) => allow(`${R}${index}*`));
  const leaf = (index: number) => ({ action: "demo:Read", resource: `${R}${index}-x` });
  const ask = (leaves: number) => ({
    user: "a",
    required: { and: Array.from({ length: leaves }, (_, index) => leaf(index)) },
    context: new Map(),
    explain: true,
    entrance: "check" as const,
    requestId: "",
  });

  it("of a large tree over many statements runs in slices, with the same result", async () => {
    await apply(
      { op: "put_resource_type", resourceType: TYPE },
      policy("p", ...statements),
      ...user("a", "p"),
    );
    const short = ask(2);
    await world.decisions.check(short);
    expect(world.decisions.check(short)).not.toBeInstanceOf(Promise);
    const long = ask(50);
    const pending = world.decisions.check(long);
    expect(pending).toBeInstanceOf(Promise);
    const { explanation, effect } = await pending;
    const compiled = compile([{ name: "p", statement: statements }], {
      partition: "svc",
      evaluator: "extended",
    });
    const at = explain(compiled, long);
    expect(effect).toBe("allow");
    expect(explanation?.tree).toEqual(at.tree);
    expect(explanation?.determining).toEqual(at.determining.map((one) => ({ ...one, via: [{ user: "a" }] })));
    expect(world.decisions.counters.decisions.check.allow).toBe(3);
  });
});
