/** The attributes of a user and of a resource are of one state in each decision (spec/security §4.2). */

import { afterEach, beforeEach, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openWorld, type World } from "./world.ts";

const ARN = "arn:svc:demo:::record/";
const CALL = { explain: false, requestId: "" } as const;

let world: World;
/** Runs before the state with this number is opened, counted from here. */
let meanwhile: { in: number; readonly work: () => Promise<unknown> } | undefined;
beforeEach(async () => {
  const memory = openMemoryStore();
  const open = memory.snapshot.bind(memory);
  memory.snapshot = async () => {
    if (meanwhile !== undefined && --meanwhile.in === 0) {
      const { work } = meanwhile;
      meanwhile = undefined;
      await work();
    }
    return open();
  };
  world = await openWorld({}, memory);
});
afterEach(() => world.close());

const apply = (...operations: readonly BatchOperation[]) =>
  world.directory.batches.apply(operations, { managed: false });
const record = (id: string, level: string): BatchOperation => ({
  op: "put_resource",
  resource: { type: "record", id, properties: { level } },
});
const type = (name: string, arn: string, id: string): BatchOperation => ({
  op: "put_resource_type",
  resourceType: { type: name, arn, id, actions: { read: "demo:Read" } },
});

/** More than a filter reads at once. */
const MANY = Array.from({ length: 100 }, (_, index) => `many-${index}`);

async function filled(): Promise<void> {
  await apply(
    type("record", `${ARN}{id}`, "{id}"),
    type("page", `${ARN}{of}/page/{page}`, "{of}/{page}"),
    record("a", "secret"),
    record("b", "secret"),
    record("book/page/1", "secret"),
    ...MANY.map((id) => record(id, "secret")),
    { op: "put_resource", resource: { type: "repository", id: "a", properties: { level: "secret" } } },
    { op: "put_user", user: { username: "ann" } },
    {
      op: "put_policy",
      policy: {
        name: "ReadPublic",
        statement: [
          {
            effect: "allow",
            action: ["demo:Read", "fs:ReadRepository"],
            resource: "*",
            condition: { StringEquals: { "resource.level": ["public"] } },
          },
        ],
      },
    },
    { op: "attach_to_user", username: "ann", policy: "ReadPublic" },
  );
}

/** In one commit, what was secret is public, and the user may read nothing any more. */
const change = () =>
  apply(
    ...["a", "b", ...MANY].map((id) => record(id, "public")),
    { op: "put_resource", resource: { type: "repository", id: "a", properties: { level: "public" } } },
    { op: "detach_from_user", username: "ann", policy: "ReadPublic" },
  );

const ASKED: readonly (readonly [string, (id: string) => Promise<boolean>])[] = [
  [
    "an evaluation",
    async (id) =>
      (
        await world.decisions.evaluate({
          ...CALL,
          subject: { type: "user", id: "ann" },
          action: { name: "read" },
          resource: { type: "record", id },
          entrance: "evaluation",
        })
      ).decision,
  ],
  [
    "a check",
    async (id) =>
      (
        await world.decisions.check({
          ...CALL,
          user: "ann",
          required: { action: "demo:Read", resource: ARN + id },
          context: new Map(),
          entrance: "check",
        })
      ).effect === "allow",
  ],
  [
    "a check of several",
    async (id) =>
      (
        await world.decisions.check({
          ...CALL,
          user: "ann",
          required: { or: [{ action: "demo:Read", resource: ARN + id }, { and: [] }].slice(0, 1) },
          context: new Map(),
          entrance: "check",
        })
      ).effect === "allow",
  ],
  [
    "a request of a data server",
    async (id) => {
      const { allowed } = await world.decisions.request({
        user: "ann",
        request: {
          method: "GET",
          path: `/api/v1/repositories/${id}`,
          query: "",
          header: () => undefined,
          api: "main",
        },
        items: "told",
        missingBody: "every_resource",
        context: new Map(),
        entrance: "request",
        requestId: "",
      });
      return allowed;
    },
  ],
  [
    "a filter",
    async (id) =>
      (
        await world.decisions.filter({
          requestId: "",
          user: "ann",
          action: "demo:Read",
          resources: [ARN + id],
          context: new Map(),
        })
      ).length > 0,
  ],
];

it.each(ASKED)("%s does not see the new resource with the old policies", async (_name, ask) => {
  await filled();
  expect(await ask("a")).toBe(false);
  meanwhile = { in: 1, work: change };
  expect(await ask("a")).toBe(false);
  expect(meanwhile).toBeUndefined();
  expect(await ask("a")).toBe(false);
});

it.each([1, 64, 65, 80, 100])("a filter of many does not either, from look %i on", async (look) => {
  await filled();
  const ask = () =>
    world.decisions.filter({
      requestId: "",
      user: "ann",
      action: "demo:Read",
      resources: MANY.map((id) => ARN + id),
      context: new Map(),
    });
  expect(await ask()).toEqual([]);
  meanwhile = { in: look, work: change };
  expect(await ask()).toEqual([]);
  expect(meanwhile).toBeUndefined();
});

it("a resource that gets another type meanwhile is registered all the time", async () => {
  await filled();
  const ask = async () =>
    (
      await world.decisions.evaluate({
        ...CALL,
        subject: { type: "user", id: "ann" },
        action: { name: "demo:Read" },
        // What is registered counts, and not this.
        resource: { type: "arn", id: `${ARN}book/page/1`, properties: { level: "public" } },
        entrance: "evaluation",
      })
    ).decision;
  expect(await ask()).toBe(false);
  const work = () =>
    apply(
      { op: "delete_resource", type: "record", id: "book/page/1" },
      { op: "put_resource", resource: { type: "page", id: "book/1", properties: { level: "secret" } } },
    );
  for (const look of [1, 2]) {
    meanwhile = { in: look, work };
    expect(await ask(), String(look)).toBe(false);
    meanwhile = undefined;
  }
});

it("is asked for again where the directory does not come to rest", async () => {
  await world.close();
  let changes: number | undefined;
  world = await openWorld({}, openMemoryStore(), "strict", (directory) => {
    const { batches, resources } = directory;
    const firstOf: typeof resources.firstOf = async (named) => {
      if (changes !== undefined) {
        changes += 1;
        await batches.apply([record("b", `level-${changes}`)], { managed: false });
      }
      return resources.firstOf(named);
    };
    return { ...directory, resources: { ...resources, firstOf } };
  });
  await filled();
  for (const [name, ask] of ASKED.slice(0, 4)) {
    changes = undefined;
    expect(await ask("a"), name).toBe(false);
    changes = 0;
    await expect(ask("a"), name).rejects.toMatchObject({ code: "unavailable" });
  }
});
