import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import { openMemoryStore } from "../../src/store/memory/memory-store.ts";
import type { Snapshot, Store } from "../../src/store/port.ts";
import { openWorld, type World } from "./world.ts";

const R = "arn:svc:demo:::record/";
const PAGE = { page: { limit: 100 } };
const SUBJECT = { type: "user", id: "u1" };
const READ = { name: "read" };
const RECORD = { type: "record", id: "r" };
const CONTEXT = { context: new Map<string, string>() };

/** The reads of a store that fail, and the number of its open snapshots. */
interface Failing {
  /** Reads until one fails; without it all work. */
  left: number | undefined;
  open: number;
}

function failingStore(state: Failing): Store {
  const store = openMemoryStore();
  const read = async <T>(answer: () => Promise<T>): Promise<T> => {
    if (state.left !== undefined && state.left-- <= 0)
      throw new AuthorizerError("unavailable", "the store does not answer");
    return answer();
  };
  const failing = (snapshot: Snapshot): Snapshot => ({
    revision: snapshot.revision,
    get: (partition, key) => read(() => snapshot.get(partition, key)),
    getMany: (partition, keys) => read(() => snapshot.getMany(partition, keys)),
    scan: (partition, options) => read(() => snapshot.scan(partition, options)),
    release: () => {
      state.open--;
      snapshot.release();
    },
  });
  return {
    snapshot: async () => {
      const snapshot = await store.snapshot();
      state.open++;
      return failing(snapshot);
    },
    commit: (commit) => store.commit(commit),
    get logId() {
      return store.logId;
    },
    changes: (after, limit) => store.changes(after, limit),
    history: store.history,
    subscribe: (listener) => store.subscribe(listener),
    health: () => store.health(),
    close: () => store.close(),
  };
}

const DIRECTORY: readonly BatchOperation[] = [
  {
    op: "put_resource_type",
    resourceType: { type: "record", arn: `${R}{id}`, id: "{id}", actions: { read: "demo:Read" } },
  },
  { op: "put_resource", resource: { type: "record", id: "r", properties: { status: "open" } } },
  {
    op: "put_policy",
    policy: {
      name: "p",
      statement: [
        {
          effect: "allow",
          action: ["demo:Read"],
          resource: "*",
          condition: { StringEquals: { "resource.status": ["open"] } },
        },
      ],
    },
  },
  ...[1, 2, 3].flatMap((n): BatchOperation[] => [
    { op: "put_user", user: { username: `u${n}` } },
    { op: "attach_to_user", username: `u${n}`, policy: "p" },
  ]),
];

let world: World;
afterEach(() => world.close());

describe("a store that fails while it is read", () => {
  it.each<[string, (world: World) => unknown]>([
    [
      "search for subjects",
      ({ decisions: { searches } }) =>
        searches.subjects({ subject: SUBJECT, action: READ, resource: RECORD, ...PAGE }),
    ],
    [
      "search for resources",
      ({ decisions: { searches } }) =>
        searches.resources({ subject: SUBJECT, action: READ, resource: RECORD, ...PAGE }),
    ],
    [
      "search for actions",
      ({ decisions: { searches } }) => searches.actions({ subject: SUBJECT, resource: RECORD, ...PAGE }),
    ],
    [
      "who-can",
      ({ decisions: { searches } }) =>
        searches.whoCan({ action: "demo:Read", resource: `${R}r`, ...CONTEXT, ...PAGE }),
    ],
    [
      "what-can",
      ({ decisions: { searches } }) =>
        searches.whatCan({ user: "u1", resource: `${R}r`, ...CONTEXT, ...PAGE }),
    ],
    [
      "check",
      ({ decisions }) =>
        decisions.check({
          user: "u1",
          required: { action: "demo:Read", resource: `${R}r` },
          ...CONTEXT,
          explain: false,
          entrance: "check",
          requestId: "",
        }),
    ],
    [
      "filter",
      ({ decisions }) =>
        decisions.filter({
          user: "u1",
          action: "demo:Read",
          resources: [`${R}r`],
          ...CONTEXT,
          requestId: "",
        }),
    ],
  ])(
    "makes %s unavailable wherever that happens, never an answer, and leaves nothing open",
    async (_name, ask) => {
      const state: Failing = { left: undefined, open: 0 };
      world = await openWorld({ cache: { enabled: false, size: 1, ttl: 0, jitter: 0 } }, failingStore(state));
      await world.directory.batches.apply(DIRECTORY, { managed: false });
      state.left = Number.POSITIVE_INFINITY;
      const whole = JSON.stringify(await ask(world));
      let reads = 0;
      for (; ; reads++) {
        world.directory.storeReplaced();
        state.left = reads;
        const answer = await Promise.resolve(ask(world)).then(JSON.stringify, (error) => error.code);
        // Background work of the directory reads, too.
        await expect.poll(() => state.open).toBe(0);
        if (answer !== "unavailable") {
          expect(answer).toBe(whole);
          break;
        }
      }
      expect(reads).toBeGreaterThan(2);
      state.left = undefined;
    },
  );
});
