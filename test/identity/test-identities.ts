/** Sets up the tests of identities: a directory with users and keys, a clock, and a record of what was read. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import type { Identities } from "../../src/identity/identity.ts";
import { type IdentitiesOptions, openIdentities } from "../../src/identity/open-identities.ts";
import type { Store } from "../../src/store/port.ts";
import { openTestDirectory, SECRET_KEY } from "../directory/open-test-directory.ts";

const NOW = Date.parse("2026-03-04T05:06:07.250Z");
export const CACHE = { enabled: true, size: 100, ttl: 20_000, jitter: 0 };
export const HERE = "192.0.2.1";

/** An opened verification with its directory. */
export interface TestIdentities {
  readonly directory: OpenedDirectory;
  /** The store of the directory. */
  readonly store: Store;
  readonly identities: Identities;
  /** Unix milliseconds; to be set. */
  readonly clock: { now: number };
  /** Reads of the directory: `key K`, `session alice`. */
  readonly reads: string[];
  /** Makes reads of the directory wait or fail; to be set. */
  readonly hooks: { beforeAnswer: () => Promise<void> };
  /** Another verification on the same directory. */
  open(options?: Partial<IdentitiesOptions>): Identities;
  close(): Promise<void>;
}

/** The directory with its session reads recorded. */
function watched(
  directory: OpenedDirectory,
  reads: string[],
  hooks: TestIdentities["hooks"],
): IdentitiesOptions["directory"] {
  const answered = async <T>(what: string, answer: Promise<T>): Promise<T> => {
    reads.push(what);
    const settled = await answer.then(
      (value) => () => value,
      (error: unknown) => () => {
        throw error;
      },
    );
    await hooks.beforeAnswer();
    return settled();
  };
  return {
    issuedSessions: directory.issuedSessions,
    users: directory.users,
    onChange: (listener) => directory.onChange(listener),
    sessions: {
      key: (id) => answered(`key ${id}`, directory.sessions.key(id)),
      get: (username, of) => answered(`session ${username}`, directory.sessions.get(username, of)),
      end: directory.sessions.end,
      hasKey: directory.sessions.hasKey,
    },
  };
}

/** Users `alice` with key `AK-ALICE` and `bob` with key `AK-BOB`; secrets are `secret of AK-…`. */
export async function openTestIdentities(options: Partial<IdentitiesOptions> = {}): Promise<TestIdentities> {
  const clock = { now: NOW };
  const reads: string[] = [];
  const hooks = { beforeAnswer: async () => {} };
  const {
    directory,
    store,
    close: closeDirectory,
  } = await openTestDirectory({
    now: () => Math.floor(clock.now / 1_000),
    nowMs: () => clock.now,
  });
  for (const name of ["alice", "bob"]) {
    await directory.users.create({ username: name });
    await addKey(directory, name, `AK-${name.toUpperCase()}`);
  }
  // What the set-up did is over when the test begins.
  clock.now += 10_000;
  const all: Identities[] = [];
  const open = (more: Partial<IdentitiesOptions> = {}): Identities => {
    const one = openIdentities({
      directory: watched(directory, reads, hooks),
      cache: CACHE,
      secretKey: SECRET_KEY,
      region: "us-east-1",
      loginDuration: 3_600_000,
      loginMaxDuration: 7_200_000,
      maxFailures: { count: 20, intervalMs: 60_000 },
      onLostSessions: (sessions) => {
        throw new Error(`${sessions} sessions were not noted`);
      },
      now: () => clock.now,
      ...options,
      ...more,
    });
    all.push(one);
    return one;
  };
  const identities = open();
  const close = async (): Promise<void> => {
    await Promise.all(all.map((one) => one.close()));
    await closeDirectory();
  };
  return { directory, store, identities, clock, reads, hooks, open, close };
}

/** Adds the key `id` with the secret `secret of <id>`. */
export function addKey(directory: OpenedDirectory, username: string, id: string): Promise<unknown> {
  return directory.credentials.create(username, { access_key_id: id, secret_access_key: `secret of ${id}` });
}

/** Returns the outcome of a verification, thrown or rejected: `alice`, or the error's code and name. */
export async function outcomeOf(
  verify: () => { username: string } | Promise<{ username: string }>,
): Promise<string> {
  try {
    return (await verify()).username;
  } catch (error) {
    if (!(error instanceof AuthorizerError)) throw error;
    if ("fault" in error) return `${error.code} ${String(error.fault)}`;
    return error.name === "AuthorizerError" ? error.code : `${error.code} ${error.name}`;
  }
}
