/** The real service with the heavy world, asked by a token of every scope and by `alice` herself. */

import { join } from "node:path";
import type { Edit } from "../../journal/model/biases.ts";
import { isWhole, sized } from "../../proofs/size.ts";
import { cleanUp, newFolder, type RunningProgram, writeConfig } from "../program.ts";
import type { Entrance } from "./entrances.ts";
import { ALICE_KEY, EXAMPLE_SCIM_ID, heavyDataset } from "./heavy-world.ts";
import { longestHold as holdOf, startProbed } from "./probed-program.ts";
import type { ProxyEntrance } from "./proxy-entrances.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const BASIC = `Basic ${Buffer.from(`${ALICE_KEY.access_key_id}:${ALICE_KEY.secret_access_key}`).toString("base64")}`;
const SCOPES = ["decide", "search", "read", "write", "secrets", "replicate", "scim"];
/** Longer than the service takes for a request; what has no answer by then has the status 0. */
const PATIENCE_MS = 45_000;
/** Operations whose work in a thread takes all the time that they get: they hold nothing later that they do not hold at first. */
export const ENDLESS: ReadonlySet<string> = new Set(["suggestPolicies"]);
const ENDLESS_MS = sized(1_000, PATIENCE_MS);
/** Streams do not end by themselves: so much of them is read. */
const STREAM_MS = 700;

/**
 * Work in threads gets a tenth of its time, and calls of a data server that is not there are not made again: what a thread
 * does, and who waits, holds nothing, however long it takes.
 */
const SHORTER: readonly Edit[] = [
  ["src/threads/grant-comparisons.ts", "PATIENCE_MS = 2_000;", "PATIENCE_MS = 200;"],
  ["src/api/management/apply/change-grants.ts", "PATIENCE_MS = 20_000;", "PATIENCE_MS = 500;"],
  ["src/insight/impact/find-impact.ts", "COMPARING_MS = 3_000;", "COMPARING_MS = 300;"],
  ["src/insight/impact/find-impact.ts", "ONE_MS = 800;", "ONE_MS = 80;"],
  ["src/mirroring/server/calls.ts", "tries: 5,", "tries: 1,"],
].map(([file = "", from = "", to = ""]) => ({ file, from, to }));

/** A data server that is not there. */
const NOBODY = "http://127.0.0.1:9";
const KEY_OF_NOBODY = {
  access_key_id: "AKIAJSOURCEEXAMPLEXQ",
  secret_access_key: "a-secret-that-nobody-knows",
};

/** A request. */
export interface Asked {
  readonly entrance: Entrance;
  /** Empty, or from `?` on. */
  readonly query: string;
  readonly body: unknown;
}

/** A running service. */
export interface HeavyService {
  /** Sends a request; gives the status and the beginning of the answer. */
  send(asked: Asked): Promise<{ readonly status: number; readonly text: string }>;
  /** Asks as a proxy does for a request of `alice`, with so many values; gives the status. */
  sendOfProxy(entrance: ProxyEntrance, count: number): Promise<number>;
  /** The longest hold since the last call, in milliseconds, once the process has nothing to do any more. */
  longestHold(): Promise<number>;
  /** Changes a policy of everybody, so that nothing that was prepared holds any more. */
  makeCold(): Promise<void>;
  end(): void;
}

/** Starts the service with this many statements. */
export async function startHeavy(statements: number): Promise<HeavyService> {
  const program = await launch(statements);
  const ids = await scimIds(program);
  const longestHold = (): Promise<number> => holdOf(program);
  await longestHold();
  let changes = 0;
  return {
    longestHold,
    send: (asked) => send(program, ids, asked),
    sendOfProxy: (entrance, count) => entrance.send({ program, token: TOKEN, basic: BASIC }, count),
    makeCold: async () => {
      const statement = { effect: "allow", action: [`fs:Changed${changes++}`], resource: "*" };
      const { status } = await fetch(`${program.service}/api/v1/auth/policies/Changing`, {
        method: "PUT",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ statement: [statement] }),
      });
      if (status >= 300) throw new Error(`the policy was not changed: ${status}`);
      await longestHold();
    },
    end: cleanUp,
  };
}

function launch(statements: number): Promise<RunningProgram> {
  const folder = newFolder();
  const dataset = writeConfig(folder, heavyDataset(statements), "dataset.json");
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.datasets": [dataset],
    "authorizer.authentication_api.enabled": true,
    "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
    "authorizer.passwords.enabled": true,
    "authorizer.mirroring.source": { endpoint: NOBODY, ...KEY_OF_NOBODY },
    "authorizer.mirroring.regions": { west: { endpoint: NOBODY, ...KEY_OF_NOBODY } },
    "authorizer.audit.directory": join(folder, "audit"),
    "authorizer.decision_log.include": "all",
    "authorizer.ext_authz.listen_address": "127.0.0.1:0",
    "authorizer.forward_auth.proxy": "nginx",
    "authorizer.trusted_proxies": ["loopback"],
    "authorizer.decision_log.directory": join(folder, "decisions"),
    "authorizer.subjects.unknown": "from_request",
    "authorizer.tokens": [{ name: "test", token: TOKEN, scopes: SCOPES, assert_groups: ["*"] }],
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
  });
  return startProbed(config, folder, { edits: isWhole ? [] : SHORTER });
}

type Ids = Readonly<Record<"alice" | "bob" | "Readers", string>>;

async function scimIds({ service }: RunningProgram): Promise<Ids> {
  const idOf = async (kind: string, filter: string): Promise<string> => {
    const response = await fetch(`${service}/scim/v2/${kind}?filter=${encodeURIComponent(filter)}`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return ((await response.json()) as { Resources: { id: string }[] }).Resources[0]?.id ?? "";
  };
  return {
    alice: await idOf("Users", 'userName eq "alice"'),
    bob: await idOf("Users", 'userName eq "bob"'),
    Readers: await idOf("Groups", 'displayName eq "Readers"'),
  };
}

/** The path: what is changed belongs to `bob`, who has the same policies. */
function pathOf({ method, template, parameters }: Entrance, ids: Ids): string {
  const isChange = method !== "GET" && method !== "POST";
  let path = template;
  for (const { name, in: place, example } of parameters) {
    if (place !== "path") continue;
    let value = String(example);
    if (isChange && value === "alice") value = "bob";
    if (value === EXAMPLE_SCIM_ID)
      value = template.includes("Groups") ? ids.Readers : isChange ? ids.bob : ids.alice;
    path = path.replace(`{${name}}`, encodeURIComponent(value));
  }
  return path;
}

function textOf(type: string, body: unknown, ids: Ids): string {
  if (typeof body === "string") return body;
  if (type.includes("urlencoded")) return new URLSearchParams(body as Record<string, string>).toString();
  return JSON.stringify(body).replaceAll(EXAMPLE_SCIM_ID, ids.alice);
}

async function send(program: RunningProgram, ids: Ids, { entrance, query, body }: Asked) {
  const { listener, method, type, operation } = entrance;
  const { content = {} } = (operation.responses["200"] ?? {}) as { content?: object };
  const isStream = Object.keys(content).some((one) => /event-stream|x-ndjson/.test(one)) && method === "GET";
  const isEndless = ENDLESS.has(operation.operationId);
  const patienceMs = isStream ? STREAM_MS : isEndless ? ENDLESS_MS : PATIENCE_MS;
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), patienceMs);
  try {
    const response = await fetch(`${program[listener]}${pathOf(entrance, ids)}${query}`, {
      method,
      redirect: "manual",
      headers: {
        authorization: listener === "service" ? `Bearer ${TOKEN}` : BASIC,
        ...(type !== undefined && { "content-type": type }),
      },
      ...(type !== undefined && { body: textOf(type, body, ids) }),
      signal: abort.signal,
    });
    const text = await response.text().catch((error) => {
      if (isStream) return "";
      throw error;
    });
    return { status: response.status, text: text.slice(0, 300) };
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    return { status: 0, text: "no answer in time" };
  } finally {
    clearTimeout(timer);
  }
}
