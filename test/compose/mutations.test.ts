/**
 * Every mutation of every listener is answered from proof (spec/journal §2.8): the calls are those of the OpenAPI documents, so
 * that a new one is among them. A call that is no mutation is listed here.
 */

import { createServer } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setUpFirstAdministrator } from "../../src/bootstrap/first-administrator.ts";
import { type DataParts, openData, openLog } from "../../src/compose/data.ts";
import { type RunningService, startService } from "../../src/compose/service.ts";
import { configFromObject } from "../../src/config/load.ts";
import type { Operation } from "../../src/http/openapi/openapi-types.ts";
import type { Engine } from "../../src/journal/engine.ts";
import { MemoryEngine } from "../../src/journal/engines/memory.ts";
import type { JournalStore } from "../../src/journal/journal-store.ts";
import { lookOneByOne } from "../../src/journal/look.ts";
import { openNode, sharedBy } from "../journal/bed.ts";
import { listening } from "../journal/http-proxy.ts";

/** Calls of other methods than GET that change nothing, and one that is off by default. */
const READS =
  /^(login|getToken|signInByForm|externalPrincipalLogin|stsLogin|remoteLogin|assumeRoleWithWebIdentity\w*|check\w*|evaluations?|search\w*|filter|plan\w*|request|simulate|whatCan\w*|whoCan\w*|judgeQuestion|lintPolicy|comparePolicy|suggestPolicies|scimSearch\w*|forwardAuth\w*)$/;
/** Needs the login cookie of a browser. */
const OF_BROWSERS = "answerDevice";
/** Members of bodies beside those of the examples, by call, so that the state has to be read for the answer. */
const BODIES: Readonly<Record<string, object>> = {
  claimTokenId: { token_id: "one-time", expires_at: Math.floor(Date.now() / 1_000) + 3_600 },
  apply: { dry_run: false },
};
const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const ADMIN = {
  access_key_id: "AKIAJTESTTESTTESTTTQ",
  secret_access_key: "a-secret-of-this-test-0123456789-abcdef0",
};

interface Called {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: () => unknown;
  readonly type: string;
  readonly listener: "service" | "user";
}

interface Node {
  readonly service: RunningService;
  readonly journal: JournalStore;
  readonly data: DataParts;
  /** Looks and creates of entries so far. */
  asked: number;
  isCut: boolean;
}

const log = new MemoryEngine();

/** A data server that has nothing. */
const dataServer = {
  url: "",
  server: createServer((_request, response) => response.writeHead(404).end("{}")),
};

/** A node that hears of nothing by itself. */
async function startNode(): Promise<Node> {
  const { values } = configFromObject(
    {
      "database.type": "mem",
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": TOKEN,
      "authorizer.authentication_api.enabled": true,
      "authorizer.authentication_api.trusted_servers": ["127.0.0.1"],
      "authorizer.passwords.enabled": true,
      "authorizer.mirroring.source.endpoint": dataServer.url,
      "authorizer.mirroring.source.access_key_id": "AKIAJSOURCEEXAMPLEXQ",
      "authorizer.mirroring.source.secret_access_key": "a-secret-of-the-source",
      "authorizer.mirroring.regions": {
        west: {
          endpoint: dataServer.url,
          access_key_id: "AKIAJWESTEXAMPLEXXXQ",
          secret_access_key: "a-secret-of-west",
        },
      },
      "logging.level": "NONE",
      "logging.audit_log_level": "NONE",
      "ui.enabled": false,
    },
    {},
  );
  const node: Partial<Node> & { asked: number; isCut: boolean } = { asked: 0, isCut: false };
  const ask = async <T>(call: () => Promise<T>): Promise<T> => {
    if (node.isCut) throw new Error("the connection was cut");
    return call();
  };
  const shared = sharedBy(log);
  const engine: Engine = {
    ...shared,
    create: (name, item) => {
      if (name.kind === "entry") node.asked += 1;
      return ask(() => shared.create(name, item));
    },
    read: (name) => ask(() => shared.read(name)),
    entries: (after, limit) => ask(() => shared.entries(after, limit)),
    floor: () => ask(() => shared.floor()),
    newest: (kind, upTo) => ask(() => shared.newest(kind, upTo)),
    look: (revision) => {
      node.asked += 1;
      return ask(() => lookOneByOne(shared, revision));
    },
    watch: () => () => {},
  };
  const journal = await openNode(engine, { pollMs: 600_000, maxStalenessMs: 600_000, commitTimeoutMs: 250 });
  const data = await openData(values, openLog(values), {
    open: async () => ({ store: journal, memory: undefined, journal }),
  });
  const service = await startService(data, { version: "1.2.3-test", env: () => undefined });
  return Object.assign(node, { service, journal, data }) as Node;
}

/** The calls of a listener's document, with its examples. */
async function callsOf(node: Node, listener: "service" | "user"): Promise<readonly Called[]> {
  const url = node.service.addresses[listener];
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>;
    components: { parameters?: Record<string, { name: string; example?: unknown }> };
  };
  return Object.entries(document.paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([method]) => !["get", "head"].includes(method))
      .map(([method, operation]) => {
        const query = new URLSearchParams();
        let path = template;
        for (const given of operation.parameters ?? []) {
          const ref = "$ref" in given ? given.$ref.split("/").at(-1) : undefined;
          const parameter = (ref === undefined ? given : document.components.parameters?.[ref]) as {
            name: string;
            in: string;
            required?: boolean;
            example?: string;
          };
          const example = String(parameter.example ?? "x");
          if (parameter.in === "path")
            path = path.replace(`{${parameter.name}}`, encodeURIComponent(example));
          else if (parameter.in === "query" && parameter.required === true)
            query.set(parameter.name, example);
        }
        const more = BODIES[operation.operationId];
        const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? ["", undefined];
        return {
          name: operation.operationId,
          method: method.toUpperCase(),
          path: query.size > 0 ? `${path}?${query}` : path,
          body: () => (more === undefined ? media?.example : { ...(media?.example as object), ...more }),
          type,
          listener,
        };
      }),
  );
}

function send(node: Node, { method, path, body: made, type, listener }: Called): Promise<Response> {
  const body = made();
  const basic = Buffer.from(`${ADMIN.access_key_id}:${ADMIN.secret_access_key}`).toString("base64");
  const text =
    type === "application/x-www-form-urlencoded"
      ? new URLSearchParams(body as Record<string, string>).toString()
      : JSON.stringify(body);
  return fetch(node.service.addresses[listener] + path, {
    method,
    headers: {
      Authorization: listener === "service" ? `Bearer ${TOKEN}` : `Basic ${basic}`,
      ...(body !== undefined && { "Content-Type": type }),
    },
    ...(body !== undefined && { body: text }),
  });
}

describe("every mutation", () => {
  let writer: Node;
  let node: Node;
  let calls: readonly Called[];
  let count = 0;

  beforeAll(async () => {
    dataServer.url = `http://127.0.0.1:${await listening(dataServer.server)}`;
    writer = await startNode();
    const { directory, catalog } = writer.data;
    await setUpFirstAdministrator(
      { directory, catalog, guards: "lenient" },
      { username: "root", key: ADMIN },
    );
    node = await startNode();
    calls = [...(await callsOf(node, "service")), ...(await callsOf(node, "user"))];
  });
  afterAll(async () => {
    if (node !== undefined) node.isCut = false;
    await node?.service.stop();
    await writer?.service.stop();
    dataServer.server.close();
  });

  const mutations = () => calls.filter(({ name }) => !READS.test(name) && name !== OF_BROWSERS);

  it("is in the documents", () => {
    const names = mutations().map(({ name }) => name);
    expect(names.length).toBeGreaterThan(50);
    for (const name of [
      "deleteUser",
      "apply",
      "setup",
      "logout",
      "redeemInvitation",
      "scimUpdateGroup",
      "claimTokenId",
    ]) {
      expect(names.join(" ")).toContain(name);
    }
  });

  it("is answered from a state that has what another node committed before it came", async () => {
    for (const round of ["first", "again"]) {
      for (const call of mutations()) {
        const made = await send(writer, {
          name: "createUser",
          listener: "service",
          method: "POST",
          path: "/api/v1/auth/users",
          type: "application/json",
          body: () => ({ username: `other-${count++}` }),
        });
        expect(made.status).toBe(201);
        const { revision } = writer.journal;
        const { asked } = node;
        const answer = await send(node, call);
        const text = await answer.text();
        const at = `${round} ${call.listener} ${call.method} ${call.path} ${answer.status} ${text.slice(0, 200)}`;
        expect(answer.status, at).not.toBe(401);
        expect(answer.status, at).toBeLessThan(500);
        expect(node.asked, at).toBeGreaterThan(asked);
        expect(Number.parseInt(answer.headers.get("x-svc-revision") ?? "", 10), at).toBeGreaterThanOrEqual(
          revision,
        );
      }
    }
  });

  it("is 503 on a node that is cut off, from the first one on", async () => {
    for (const call of mutations()) {
      node.isCut = false;
      await node.journal.catchUp();
      // The node has contact, as far as it knows.
      node.isCut = true;
      const answer = await send(node, call);
      const text = await answer.text();
      expect(answer.status, `${call.listener} ${call.method} ${call.path} ${text.slice(0, 200)}`).toBe(503);
    }
    for (const call of mutations()) {
      const answer = await send(node, call);
      await answer.arrayBuffer();
      expect(answer.status, `${call.listener} ${call.method} ${call.path}`).toBe(503);
    }
    node.isCut = false;
  });

  it("is none of the calls that only read, which a node that is cut off answers still", async () => {
    node.isCut = false;
    await node.journal.catchUp();
    node.isCut = true;
    for (const call of calls.filter(({ name }) => READS.test(name))) {
      const answer = await send(node, call);
      const text = await answer.text();
      expect([501, answer.status < 500 ? answer.status : 501], call.name + text.slice(0, 200)).toContain(
        answer.status,
      );
    }
    node.isCut = false;
  });
});
