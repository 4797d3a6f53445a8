/**
 * Two processes on one database, in pairs of calls: one node makes something, and the other takes it away at once. Whatever
 * was taken away with 204 is gone (spec/journal §2.8).
 */

import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { type LossyProxy, startLossyProxy } from "../journal/lossy-proxy.ts";
import { DATABASES } from "./databases.ts";
import { quantile, report, sized } from "./size.ts";

const TOKEN = "a-token-that-only-this-proof-knows-0123456789";
const KEY = "a-secret-key-that-only-this-proof-knows-0123456789";
/** Pairs of each kind. */
const PAIRS = sized(8, 1_000);
/** Pairs of a kind that are under way at once, each with names of its own. */
const LANES = sized(4, 16);

function startNode(items: object): Promise<RunningProgram> {
  const folder = newFolder();
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": KEY,
    "auth.api.token": TOKEN,
    "logging.level": "ERROR",
    "logging.audit_log_level": "NONE",
    "authorizer.replication.commit_timeout": "3s",
    ...items,
  });
  return start(["--config", config], folder);
}

interface Said {
  readonly status: number;
  readonly text: string;
  readonly position: string;
}

/** @param from position that the answer must at least be made from */
async function call(
  { service }: RunningProgram,
  method: string,
  path: string,
  body?: unknown,
  from?: string,
): Promise<Said> {
  const answer = await fetch(service + path, {
    method,
    headers: {
      Authorization: `Bearer ${TOKEN}`,
      "Content-Type": "application/json",
      ...(from !== undefined && { "X-Svc-Min-Position": from }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, text, position: answer.headers.get("x-svc-position") ?? "" };
}

/** Longest time for which a node of a busy machine is behind, in milliseconds. */
const BEHIND_MS = 30_000;

/** A thing that one node makes and another takes away. */
interface Pair {
  readonly name: string;
  readonly make: (node: RunningProgram) => Promise<Said>;
  /** @param id of what was made last, by SCIM */
  readonly take: (node: RunningProgram, id: string) => Promise<Said>;
  /** Path of a list in which it is while it is there, and the text by which it is found in that. */
  readonly list: string;
  readonly text: string;
}

/** True where a node that has a position lists what was made. One that is behind for longer says so, and is asked again. */
async function isListed(node: RunningProgram, { list, text }: Pair, from: string): Promise<boolean> {
  const end = performance.now() + BEHIND_MS;
  let said = await call(node, "GET", list, undefined, from);
  while (said.status === 503 && said.text.includes("is asked for") && performance.now() < end) {
    await delay(100);
    said = await call(node, "GET", list, undefined, from);
  }
  if (said.status !== 200) throw new Error(`${list}: ${said.status} ${said.text}`);
  return said.text.includes(text);
}

const AUTH = "/api/v1/auth";
const STATEMENT = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }];

/** Makes by PUT, or by POST with a body; takes by DELETE. */
function restPair(
  pair: Pick<Pair, "name" | "text">,
  path: string,
  post?: { readonly query?: string; readonly body?: object },
): Pair {
  const list = AUTH + path.slice(0, path.lastIndexOf("/"));
  return {
    ...pair,
    list,
    make: (node) =>
      post === undefined
        ? call(node, "PUT", AUTH + path)
        : call(node, "POST", list + (post.query ?? ""), post.body),
    take: (node) => call(node, "DELETE", AUTH + path),
  };
}

/** Makes a user or group by SCIM, and deletes it by the id that it was given. */
function scimPair(name: string, kind: "Users" | "Groups", body: object, text: string): Pair {
  return {
    name,
    list: `/scim/v2/${kind}`,
    text,
    make: (node) => call(node, "POST", `/scim/v2/${kind}`, body),
    take: (node, id) => call(node, "DELETE", `/scim/v2/${kind}/${id}`),
  };
}

function scimPatch(op: "add" | "remove", user: string) {
  return {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [
      op === "add"
        ? { op, path: "members", value: [{ value: user }] }
        : { op, path: `members[value eq "${user}"]` },
    ],
  };
}

const SCIM = "urn:ietf:params:scim:schemas:core:2.0";
const ROLE = "arn:aws:sts::1:assumed-role/r";
const ACCESS_KEY = "AKIAJPAIRPAIRPAIRQ";

/** The pairs of a lane, whose user, group and policy are there. */
function pairs(lane: number, scimUser: string, scimGroup: string): readonly Pair[] {
  const [u, g, made, byScim] = [`u${lane}`, `g${lane}`, `made${lane}`, `made-by-scim${lane}`];
  const [role, accessKey] = [`${ROLE}${lane}`, `${ACCESS_KEY}${String.fromCharCode(65 + lane)}`];
  const principal = `/users/${u}/external/principals?principalId=${encodeURIComponent(role)}`;
  const key = `?access_key=${accessKey}&secret_key=${"s".repeat(40)}`;
  const quoted = (text: string): string => JSON.stringify(text);
  return [
    restPair({ name: "policy of a user", text: quoted("P") }, `/users/${u}/policies/P`),
    restPair({ name: "member", text: quoted(u) }, `/groups/${g}/members/${u}`),
    restPair({ name: "policy of a group", text: quoted("P") }, `/groups/${g}/policies/P`),
    restPair({ name: "user", text: quoted(made) }, `/users/${made}`, { body: { username: made } }),
    restPair({ name: "group", text: quoted(made) }, `/groups/${made}`, { body: { id: made } }),
    restPair({ name: "policy", text: quoted(made) }, `/policies/${made}`, {
      body: { name: made, statement: STATEMENT },
    }),
    restPair({ name: "access key", text: accessKey }, `/users/${u}/credentials/${accessKey}`, { query: key }),
    {
      name: "external principal",
      list: `${AUTH}/users/${u}/external/principals/ls`,
      text: role,
      make: (node) => call(node, "POST", AUTH + principal),
      take: (node) => call(node, "DELETE", AUTH + principal),
    },
    {
      name: "member by SCIM",
      list: `/scim/v2/Groups/${scimGroup}`,
      text: scimUser,
      make: (node) => call(node, "PATCH", `/scim/v2/Groups/${scimGroup}`, scimPatch("add", scimUser)),
      take: (node) => call(node, "PATCH", `/scim/v2/Groups/${scimGroup}`, scimPatch("remove", scimUser)),
    },
    scimPair("user by SCIM", "Users", { schemas: [`${SCIM}:User`], userName: byScim }, quoted(byScim)),
    scimPair("group by SCIM", "Groups", { schemas: [`${SCIM}:Group`], displayName: byScim }, quoted(byScim)),
  ];
}

/** The id of what SCIM made; "" where there is none. */
function idIn(text: string): string {
  return text.startsWith("{") ? String((JSON.parse(text) as { id?: unknown }).id) : "";
}

describe.each(DATABASES)("proof: pairs on %s", (engine, isThere, open) => {
  let close: () => Promise<void> = async () => {};
  afterEach(async () => {
    cleanUp();
    await close();
  });

  it.skipIf(!isThere)(
    "what a node took away with 204 is gone, whichever node made it; a node that is cut off or was asleep says nothing untrue",
    async () => {
      const database = await open();
      close = () => database.close();
      const proxy: LossyProxy = await startLossyProxy(database.port);
      const one = await startNode(database.items(database.port));
      const other = await startNode(database.items(proxy.port));
      await call(one, "POST", `${AUTH}/policies`, { name: "P", statement: STATEMENT });
      const idOf = async (kind: string, body: object): Promise<string> =>
        idIn((await call(one, "POST", `/scim/v2/${kind}`, body)).text);
      const lanes: (readonly Pair[])[] = [];
      for (let lane = 0; lane < LANES; lane++) {
        await call(one, "POST", `${AUTH}/users`, { username: `u${lane}` });
        await call(one, "POST", `${AUTH}/groups`, { id: `g${lane}` });
        const scimUser = await idOf("Users", { schemas: [`${SCIM}:User`], userName: `s${lane}` });
        const scimGroup = await idOf("Groups", { schemas: [`${SCIM}:Group`], displayName: `sg${lane}` });
        lanes.push(pairs(lane, scimUser, scimGroup));
      }

      const kinds = lanes[0]!;
      const wrong: string[] = [];
      for (const [kind, { name }] of kinds.entries()) {
        let [begun, refused, left] = [0, 0, 0];
        const follow = async (pair: Pair): Promise<void> => {
          while (begun < PAIRS) {
            const round = begun++;
            const [first, second] = round % 2 === 0 ? [one, other] : [other, one];
            const made = await pair.make(first);
            const taken = await pair.take(second, idIn(made.text));
            const isRefused = made.status >= 300 || taken.status >= 300;
            const isLeft =
              !isRefused &&
              ((await isListed(one, pair, taken.position)) || (await isListed(other, pair, taken.position)));
            refused += Number(isRefused);
            left += Number(isLeft);
            if (isRefused || isLeft)
              wrong.push(`${name} ${round}: ${made.status} ${made.text} ${taken.status} ${taken.text}`);
          }
        };
        const began = performance.now();
        await Promise.all(lanes.map((ofLane) => follow(ofLane[kind]!)));
        const seconds = ((performance.now() - began) / 1_000).toFixed(0);
        report(`${engine}, ${name}: ${left} of ${PAIRS} left, ${refused} refused, ${seconds} s`);
        // What is looked for is found while it is there.
        const { make, take } = kinds[kind]!;
        const { text, position } = await make(one);
        expect(await isListed(other, kinds[kind]!, position), name).toBe(true);
        expect((await take(one, idIn(text))).status, name).toBeLessThan(300);
      }
      expect(wrong).toEqual([]);
      await call(one, "PUT", `${AUTH}/groups/g0/members/u0`);

      const nothing: number[] = [];
      for (let round = 0; round < sized(20, 300); round++) {
        const began = performance.now();
        await call(other, "PUT", `${AUTH}/groups/g0/members/u0`);
        nothing.push(performance.now() - began);
      }
      report(
        `${engine}, nothing to do: median ${quantile(nothing, 0.5).toFixed(1)} ms, p99 ${quantile(nothing, 0.99).toFixed(1)} ms`,
      );

      // A node that slept through a change and is asked at once.
      for (let round = 0; round < sized(2, 20); round++) {
        other.child.kill("SIGSTOP");
        await call(one, "PUT", `${AUTH}/users/u0/policies/P`);
        await delay(sized(300, 1_000));
        const taken = call(other, "DELETE", `${AUTH}/users/u0/policies/P`);
        other.child.kill("SIGCONT");
        // It may find that its connections broke; then it says so, and the caller asks again.
        let { status } = await taken;
        while (status === 503) {
          await delay(100);
          ({ status } = await call(other, "DELETE", `${AUTH}/users/u0/policies/P`));
        }
        expect(status).toBe(204);
        expect((await call(one, "PUT", `${AUTH}/users/u0/policies/P`)).status).toBe(201);
        expect((await call(one, "DELETE", `${AUTH}/users/u0/policies/P`)).status).toBe(204);
      }

      // Cut off: 503 from the first call on, also where nothing would change.
      await proxy.close();
      await call(one, "PUT", `${AUTH}/users/u0/policies/P`);
      for (const { name, make, take } of [...kinds, ...kinds]) {
        const statuses = [(await take(other, "id")).status, (await make(other)).status];
        expect(statuses, name).toEqual([503, 503]);
      }
    },
    sized(600_000, 7_200_000),
  );
});
