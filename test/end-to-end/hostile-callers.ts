/** Callers who call many times at once: what one of them takes is not taken from others. */

import { setTimeout } from "node:timers/promises";
import {
  APPLIER,
  arn,
  callAs,
  calling,
  dryRun,
  type HostileCase,
  headersOf,
  OTHER,
  range,
  type Target,
  UNPRIVILEGED,
} from "./hostile-calls.ts";
import { COLD_USERS } from "./hostile-directory.ts";

/** Another service token, which may do the same. */
export const OTHER_TOKEN = "another-token-that-only-this-test-knows-0123456789";

/** More streams than there are of any kind. */
const STREAMS = 120;
const OPENING_MS = 1_000;

interface Stream {
  readonly url: string;
  readonly headers: Record<string, string>;
}

/** Opens many streams; gives the status of the first stream of somebody else. */
async function streams(own: Stream, other: Stream): Promise<number> {
  const ended = new AbortController();
  const open = async ({ url, headers }: Stream): Promise<number> => {
    const { status, body } = await fetch(url, { headers, signal: ended.signal });
    if (status !== 200) await body?.cancel();
    return status;
  };
  const opened = range(STREAMS, () => open(own).catch(() => 0));
  await Promise.race([Promise.all(opened), setTimeout(OPENING_MS)]);
  try {
    return await open(other);
  } finally {
    ended.abort();
    await Promise.all(opened);
  }
}

const withToken = ({ program }: Target, path: string, token: string): Stream => ({
  url: program.service + path,
  headers: { authorization: `Bearer ${token}` },
});

const DOCUMENT_USERS = 75_000;

/** More than `authorizer.forward_auth.max_failures` of all sources in a minute: four times those of one. */
const GUESSES = 100;

/** Sign-ins with a password at once. */
const SIGN_INS = 500;

/**
 * Signs in very often at once, as nobody: a name that nobody has costs the same hash. Each answer is one of a wrong password, or says
 * when to come again.
 * @returns the statuses
 */
export async function signIns(user: string, of = signInOf): Promise<readonly number[]> {
  const answers = await Promise.all(
    range(SIGN_INS, (index) => fetch(`${user}/api/v1/auth/login`, { method: "POST", ...of(index) })),
  );
  for (const answer of answers) {
    const { status, headers } = answer;
    await answer.body?.cancel();
    if (status === 401) continue;
    if ((status === 503 || status === 429) && Number(headers.get("retry-after")) > 0) continue;
    throw new Error(`a sign-in was answered ${status}`);
  }
  return answers.map(({ status }) => status);
}

function signInOf(index: number): RequestInit {
  return {
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      access_key_id: `nobody-${index}`,
      secret_access_key: "a long password of nobody",
    }),
  };
}

/** The cases; each gives the status that somebody else gets, or the highest of its own. */
export const CALLERS: readonly HostileCase[] = [
  {
    name: `${SIGN_INS} sign-ins with a password at once`,
    statuses: [503, 429],
    run: async ({ program }) => Math.max(...(await signIns(program.user))),
  },
  {
    name: "8 applications of 4 MiB by a user who may not apply",
    statuses: [403],
    run: async (target) => {
      const users = range(DOCUMENT_USERS, (user) => ({
        username: `applied-${user}`,
        groups: [`g-${user % 100}`],
      }));
      const body = Buffer.from(dryRun({ format: 1, users }));
      const call = () => callAs(UNPRIVILEGED, target, "/api/v1/auth/apply", body);
      return Math.max(...(await Promise.all(range(8, call))));
    },
  },
  {
    name: "a simulated tree of 998 actions on any resource, of a user about itself",
    run: (target) =>
      callAs(
        UNPRIVILEGED,
        target,
        "/api/v1/auth/simulate",
        JSON.stringify({
          user: UNPRIVILEGED.username,
          candidate: { replace: [], remove: [] },
          required: { and: range(998, (index) => ({ any_resource: { action: `fs:Act${index}` } })) },
        }),
      ),
  },
  {
    name: "first questions about users with wildcards of their own, at once",
    run: async (target) => {
      const ask = (user: string) =>
        calling("check", () => ({
          user,
          required: { action: "fs:ReadObject", resource: arn(`${"ab".repeat(50)}/x`) },
        }))(target);
      return Math.max(...(await Promise.all(COLD_USERS.map(ask))));
    },
  },
  ...["/api/v1/replica", "/api/v1/watch"].map(
    (path): HostileCase => ({
      name: `all places of ${path} by one token`,
      run: (target) => streams(withToken(target, path, target.token), withToken(target, path, OTHER_TOKEN)),
    }),
  ),
  ...["decisions", "audit"].map(
    (what): HostileCase => ({
      name: `all streams of ${what} by one administrator`,
      run: ({ program }) => {
        const url = `${program.user}/api/v1/${what}/stream`;
        return streams({ url, headers: headersOf(APPLIER) }, { url, headers: headersOf(OTHER) });
      },
    }),
  ),
  {
    name: "guesses of a secret, each with another address in its headers",
    statuses: [429],
    run: async ({ program }) => {
      let status = 0;
      for (let guess = 0; guess < GUESSES; guess++) {
        const { status: last, body } = await fetch(`${program.user}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json", "x-forwarded-for": `203.0.113.${guess}` },
          body: JSON.stringify({
            access_key_id: OTHER.key.access_key_id,
            secret_access_key: `guess-${guess}`,
          }),
        });
        await body?.cancel();
        status = last;
      }
      return status;
    },
  },
];
