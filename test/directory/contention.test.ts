/**
 * Many clients that create, delete and attach the same names at once, on the local store. `CONTENTION_SECONDS=30` runs
 * it for longer.
 */

import { join } from "node:path";
import { AuthorizerError, type ErrorCode } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkWholeStore } from "../../src/directory/upkeep/check-store.ts";
import { openLocalStore } from "../../src/store/local/local-store.ts";
import { type Store, withSnapshot } from "../../src/store/port.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { policy } from "./backends.ts";
import { openDirectoryOn, SECRET_KEY } from "./open-test-directory.ts";

const SECONDS = Number(process.env["CONTENTION_SECONDS"] ?? 3);
const CLIENTS = 32;
const NAMES = 4;

let folder: string;
let store: Store;
let directory: OpenedDirectory;
beforeEach(async () => {
  folder = temporaryFolder();
  store = await openLocalStore({ path: join(folder, "store"), syncWrites: true });
  directory = await openDirectoryOn(store);
});
afterEach(async () => {
  await directory.close();
  await store.close();
});

/** A sequence that does not repeat between clients; the same in every run. */
function randomOf(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761 + 1;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Step = (name: (kind: string) => string) => Promise<unknown>;

function steps({
  users,
  groups,
  policies,
  credentials,
  externalPrincipals,
  batches,
}: OpenedDirectory): Step[] {
  const one = { amount: 1 };
  return [
    (name) =>
      users.create({ username: name("u"), external_id: name("x"), email: `${name("e")}@example.org` }),
    (name) => users.create({ username: name("u") }),
    (name) => users.delete(name("u")),
    (name) => users.update(name("u"), { email: `${name("e")}@example.org` }),
    (name) => groups.create({ name: name("g") }),
    (name) => groups.create({ name: name("g") }),
    (name) => groups.delete(name("g")),
    (name) => policies.create(policy(name("p"))),
    (name) => policies.create(policy(name("p"))),
    (name) => policies.update(policy(name("p"), "arn:svc:fs:::repository/r")),
    (name) => policies.delete(name("p")),
    (name) => groups.addMember(name("g"), name("u")),
    (name) => groups.addMember(name("g"), name("u")),
    (name) => groups.removeMember(name("g"), name("u")),
    (name) => users.attachPolicy(name("u"), name("p")),
    (name) => users.attachPolicy(name("u"), name("p")),
    (name) => users.detachPolicy(name("u"), name("p")),
    (name) => groups.attachPolicy(name("g"), name("p")),
    (name) => groups.attachPolicy(name("g"), name("p")),
    (name) => groups.detachPolicy(name("g"), name("p")),
    (name) => credentials.create(name("u"), { access_key_id: name("k"), secret_access_key: "secret" }),
    (name) => credentials.delete(name("u"), name("k")),
    (name) => externalPrincipals.create(name("u"), name("r")),
    (name) => externalPrincipals.delete(name("u"), name("r")),
    (name) => directory.principal(name("u")),
    (name) => groups.members(name("g"), one),
    (name) => credentials.getWithSecret(name("k")),
    (name) => users.list(one, { external_id: name("x") }),
    (name) =>
      batches.apply(
        [
          { op: "put_user", user: { username: name("u") } },
          { op: "delete_policy", name: name("p") },
          { op: "put_group", name: name("g") },
        ],
        { managed: true },
      ),
  ];
}

async function swept(): Promise<void> {
  const waiting = () => withSnapshot(store, (snapshot) => snapshot.scan("sweep", { limit: 1 }));
  await expect.poll(waiting, { interval: 50 }).toEqual([]);
}

it(
  `${CLIENTS} clients that work on the same names for ${SECONDS} s meet only expected errors and leave a sound store`,
  async () => {
    const outcomes = new Map<ErrorCode | "ok", number>();
    const all = steps(directory);
    const end = performance.now() + SECONDS * 1_000;
    const client = async (seed: number): Promise<void> => {
      const random = randomOf(seed + 1);
      const name = (kind: string): string => `${kind}${random(NAMES)}`;
      while (performance.now() < end) {
        const outcome = await (all[random(all.length)] as Step)(name).then(
          () => "ok" as const,
          (error: unknown) => {
            if (error instanceof AuthorizerError) return error.code;
            throw error;
          },
        );
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, seed) => client(seed)));
    expect([...outcomes.keys()].sort()).toEqual(["already_exists", "not_found", "ok"]);
    const keys = { secretKey: SECRET_KEY, previousSecretKey: undefined };
    expect(await checkWholeStore(store, keys)).toEqual([]);
    // What deletions left behind is swept in the end, and the store is sound then too.
    await swept();
    expect(await checkWholeStore(store, keys)).toEqual([]);
  },
  SECONDS * 1_000 + 40_000,
);
