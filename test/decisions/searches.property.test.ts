import type { Properties } from "@svc-authorizer/policy/model/entities.ts";
import { withRegistered } from "@svc-authorizer/policy/model/registered-properties.ts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Decisions } from "../../src/decisions/decisions.ts";
import type { Found, SearchPage } from "../../src/decisions/searches.ts";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { type MemoryImage, type MemoryStore, openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { sized } from "../proofs/size.ts";
import { allows } from "./plan-reading.ts";
import { directory, NAMES, question } from "./random-world.ts";
import { openWorld, type World } from "./world.ts";

const CALL = { entrance: "evaluation", explain: false, requestId: "" } as const;
const MODES = ["fill", "override"] as const;

/** A world that is put back to its empty state for each run. */
interface Slate {
  readonly world: World;
  readonly store: MemoryStore;
  readonly empty: MemoryImage;
}
const slates: Slate[] = [];

beforeAll(async () => {
  for (const requestProperties of MODES) {
    const store = openMemoryStore();
    const world = await openWorld({ requestProperties }, store, "lenient");
    slates.push({ world, store, empty: store.capture() });
  }
});
afterAll(async () => {
  for (const { world } of slates) await world.close();
});

async function filled(operations: readonly BatchOperation[], mode: number): Promise<Decisions> {
  const { world, store, empty } = slates[mode] as Slate;
  store.restore(empty);
  world.directory.storeReplaced();
  await world.directory.batches.apply(operations, { managed: false });
  return world.decisions;
}

/** All pages of a search, one after the other. */
async function all<T>(limit: number, search: (page: SearchPage) => Promise<Found<T>>): Promise<T[]> {
  const results: T[] = [];
  let after: string | undefined;
  do {
    const found = await search(after === undefined ? { limit } : { limit, after });
    expect(found.results.length).toBeLessThanOrEqual(limit);
    // A page that says there is more is full, and so is the promise that there is.
    if (found.next !== undefined) expect(found.results).toHaveLength(limit);
    if (after !== undefined) expect(found.results).not.toHaveLength(0);
    results.push(...found.results);
    after = found.next;
  } while (after !== undefined);
  return results;
}

/** In UTF-8 byte order. */
function inOrder(names: readonly string[]): string[] {
  return [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

async function those<T>(items: readonly T[], holds: (item: T) => unknown): Promise<T[]> {
  const kept: T[] = [];
  for (const item of items) if (await holds(item)) kept.push(item);
  return kept;
}

/** Returns the registered properties of a user or a resource. */
function propertiesOf(
  operations: readonly BatchOperation[],
  op: "put_user" | "put_resource",
  name: string,
): Properties {
  for (const one of operations) {
    if (one.op !== op) continue;
    if (one.op === "put_user" && one.user.username === name) return one.user.properties ?? {};
    if (one.op === "put_resource" && one.resource.id === name) return one.resource.properties ?? {};
  }
  return {};
}

const mode = fc.nat({ max: MODES.length - 1 });
const bag = (properties: Properties | undefined) => (properties === undefined ? {} : { properties });

it("finds exactly those for which an evaluation says true, in order and page by page", async () => {
  await fc.assert(
    fc.asyncProperty(directory, question, mode, async (operations, asked, slate) => {
      const { searches, ...decisions } = await filled(operations, slate);
      const { user, type, limit } = asked;
      const subject = { type: "user", id: user, ...bag(asked.subjectProperties) };
      const action = { name: asked.action, ...bag(asked.actionProperties) };
      const id = type === "arn" ? NAMES.arn + asked.id : asked.id;
      const resource = { type, id, ...bag(asked.resourceProperties) };
      const context = asked.context === undefined ? {} : { context: asked.context };
      const says = async (change: Partial<Record<"subject" | "action" | "resource", object>>) => {
        const whole = { subject, action, resource, ...context, ...change, ...CALL };
        return (await decisions.evaluate(whole as never)).decision;
      };
      const subjects = await all(limit, (page) =>
        searches.subjects({
          subject: { ...subject, id: "ignored" } as never,
          action,
          resource,
          ...context,
          page,
        }),
      );
      expect(subjects.map((one) => one.id)).toEqual(
        await those(inOrder(NAMES.users), (one) => says({ subject: { ...subject, id: one } })),
      );
      const registered = operations.flatMap((one) => (one.op === "put_resource" ? [one.resource.id] : []));
      const resources = await all(limit, (page) =>
        searches.resources({ subject, action, resource, ...context, page }),
      );
      const recordsOnly = type === "record" ? inOrder(registered) : [];
      expect(resources).toEqual(
        (await those(recordsOnly, (one) => says({ resource: { ...resource, id: one } }))).map((one) => ({
          type,
          id: one,
        })),
      );
      const short = type === "record" ? inOrder(["read", "write", "\uff21", "😀"]) : [];
      const names = type === "arn" ? ["auth:ReadUser", "demo:Delete", "demo:Read", "fs:ReadObject"] : short;
      const found = await all(limit, (page) => searches.actions({ subject, resource, ...context, page }));
      const actions = found.map(({ name }) => name);
      expect(actions).toEqual(inOrder(actions));
      expect(actions.filter((name) => type !== "arn" || names.includes(name))).toEqual(
        await those(names, (name) => says({ action: { name } })),
      );
    }),
    { numRuns: sized(80, 250) },
  );
});

it("who-can, what-can and a plan agree with checks", async () => {
  await fc.assert(
    fc.asyncProperty(directory, question, mode, async (operations, asked, slate) => {
      const { searches, ...decisions } = await filled(operations, slate);
      const fields: [string, string | string[]][] = [
        ["SourceIp", asked.limit > 2 ? "10.1.2.3" : "192.168.0.1"],
        ["context.vip", String(asked.context !== undefined)],
      ];
      const context = new Map(fields);
      const resource = asked.type === "arn" ? `arn:svc:demo::${asked.user}:record/b` : NAMES.arn + asked.id;
      const check = async (user: string, action: string, arn = resource) =>
        decisions.check({ ...CALL, user, required: { action, resource: arn }, context, explain: true });
      const allowed = async (user: string, action: string, arn = resource) =>
        (await check(user, action, arn)).effect === "allow";
      const action = asked.action.includes(":") ? asked.action : "demo:Write";

      const found = await all(asked.limit, (page) => searches.whoCan({ action, resource, context, page }));
      expect(found.map(({ user }) => user)).toEqual(
        await those(inOrder(NAMES.users), (user) => allowed(user, action)),
      );
      for (const { user, ...why } of found) {
        const [first] = (await check(user, action)).explanation?.determining ?? [];
        expect(why).toEqual({ policy: first?.policy, statement: first?.statement, via: first?.via });
      }
      const { user } = asked;
      const actions = await all(7, (page) => searches.whatCan({ user, resource, context, page }));
      const some = ["auth:ReadUser", "demo:Delete", "demo:Read", "demo:Write", "fs:ReadObject"];
      expect(actions.filter((one) => some.includes(one))).toEqual(
        await those(some, (one) => allowed(user, one)),
      );

      const plan = await searches.plan({ user, action, context });
      const own = propertiesOf(operations, "put_user", user);
      for (const id of NAMES.records) {
        const registered = { subject: own, resource: propertiesOf(operations, "put_resource", id) };
        const all = withRegistered(context, registered, MODES[slate] as (typeof MODES)[number]);
        const answer = await allowed(user, action, NAMES.arn + id);
        const planned = allows(plan, NAMES.arn + id, all, user);
        // A list or an object where one address is expected is all that a plan denies and a check may not.
        const status = all.get("resource.status");
        const exact = status === undefined || typeof status === "string";
        if (planned || exact) expect([id, planned]).toEqual([id, answer]);
      }
    }),
    { numRuns: sized(40, 100) },
  );
});
