/** Searches see user and resource in one state of the directory (spec/security §4.2). */

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import { openWorld, type World } from "./world.ts";

const ARN = "arn:svc:demo:::record/";

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
afterEach(async () => {
  meanwhile = undefined;
  await world.close();
});

const apply = (...operations: readonly BatchOperation[]) =>
  world.directory.batches.apply(operations, { managed: false });
/** More than a search reads at once. */
const MANY = Array.from({ length: 1_100 }, (_, index) => `r-${String(index).padStart(4, "0")}`);
const records = (level: string) =>
  MANY.map(
    (id): BatchOperation => ({
      op: "put_resource",
      resource: { type: "record", id, properties: { level } },
    }),
  );

const policy = (name: string, level: string, effect: "allow" | "deny"): BatchOperation => ({
  op: "put_policy",
  policy: {
    name,
    statement: [
      {
        effect,
        action: ["demo:Read"],
        resource: "*",
        condition: { StringEquals: { "resource.level": [level] } },
      },
    ],
  },
});

async function filled(level: string, ...attached: readonly string[]): Promise<void> {
  await apply(
    {
      op: "put_resource_type",
      resourceType: { type: "record", arn: `${ARN}{id}`, id: "{id}", actions: { read: "demo:Read" } },
    },
    ...records(level),
    { op: "put_user", user: { username: "ann" } },
    policy("ReadPublic", "public", "allow"),
    ...attached.map((name): BatchOperation => ({ op: "attach_to_user", username: "ann", policy: name })),
  );
}

const ann = { type: "user", id: "ann" } as const;
const action = { name: "read" } as const;
const [id = ""] = MANY;
const page = { limit: 1_000 } as const;
const SEARCHES: readonly (readonly [string, () => Promise<number>])[] = [
  [
    "subjects",
    () =>
      found(
        world.decisions.searches.subjects({
          subject: { type: "user" },
          action,
          resource: { type: "record", id },
          page,
        }),
      ),
  ],
  [
    "resources",
    () =>
      found(world.decisions.searches.resources({ subject: ann, action, resource: { type: "record" }, page })),
  ],
  [
    "actions",
    () => found(world.decisions.searches.actions({ subject: ann, resource: { type: "record", id }, page })),
  ],
  [
    "who can",
    () =>
      found(
        world.decisions.searches.whoCan({
          action: "demo:Read",
          resource: ARN + id,
          context: new Map(),
          page,
        }),
      ),
  ],
  [
    "what can",
    () =>
      found(world.decisions.searches.whatCan({ user: "ann", resource: ARN + id, context: new Map(), page })),
  ],
];
const found = async (answer: Promise<{ readonly results: readonly unknown[] }>): Promise<number> =>
  (await answer).results.length;

describe.each([1, 2, 3, 4])("a change before state %i is opened", (look) => {
  it.each(SEARCHES)("that makes public and takes the right: %s", async (_name, ask) => {
    await filled("secret", "ReadPublic");
    expect(await ask()).toBe(0);
    meanwhile = {
      in: look,
      work: () =>
        apply(...records("public"), { op: "detach_from_user", username: "ann", policy: "ReadPublic" }),
    };
    expect(await ask()).toBe(0);
  });

  it.each(SEARCHES)("that makes secret and gives the right: %s", async (_name, ask) => {
    await filled("public");
    expect(await ask()).toBe(0);
    meanwhile = {
      in: look,
      work: () =>
        apply(...records("secret"), { op: "attach_to_user", username: "ann", policy: "ReadPublic" }),
    };
    expect(await ask()).toBe(0);
  });
});

it("a search goes on where the directory changes all the time", async () => {
  await filled("public", "ReadPublic");
  for (const [name, ask] of SEARCHES) {
    meanwhile = {
      in: 2,
      work: () => apply({ op: "put_user", user: { username: "bob" } }),
    };
    expect(await ask(), name).toBe(name === "resources" ? 1_000 : 1);
  }
});
