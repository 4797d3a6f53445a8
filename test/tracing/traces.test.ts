import { execFile } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { LoggedLine } from "@svc-authorizer/policy/records/record.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EnvoyClient } from "../api/ext-authz/envoy-client.ts";
import { linesOf } from "../decision-log/test-log.ts";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { type Collector, type ReceivedSpan, startCollector } from "./collector.ts";

const SVCCTL = fileURLToPath(new URL("../../packages/svcctl/src/main.ts", import.meta.url));
const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const KEY = "a-secret-key-that-only-this-test-knows-0123456789";
const PROXY_TOKEN = "a-proxy-token-that-only-this-test-knows-0123";
const SECRET = "a-secret-access-key-that-only-this-test-knows";
const HEADER_SECRET = "a-collector-key-that-only-this-test-knows";
const ARN = "arn:svc:fs:::repository/r/object/o";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const SAMPLED = `00-${TRACE}-${PARENT}-01`;

let collector: Collector;
let folder: string;

beforeEach(async () => {
  collector = await startCollector();
  folder = newFolder();
});
afterEach(async () => {
  cleanUp();
  await collector.close();
});

function startTraced(
  env: Record<string, string> = {},
  more: Record<string, unknown> = {},
): Promise<RunningProgram> {
  const dataset = writeConfig(
    folder,
    {
      format: 1,
      users: [
        {
          username: "ann",
          policies: ["Read"],
          credentials: [{ access_key_id: "AKIATRACETEST", secret_access_key: SECRET }],
        },
      ],
      policies: [{ name: "Read", statement: [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] }],
    },
    "dataset.json",
  );
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "database.type": "mem",
    "auth.encrypt.secret_key": KEY,
    "auth.api.token": TOKEN,
    "authorizer.datasets": [dataset],
    "authorizer.decision_log.directory": join(folder, "decisions"),
    "authorizer.decision_log.include": "all",
    "authorizer.forward_auth.proxy": "caddy",
    "authorizer.forward_auth.proxy_token": PROXY_TOKEN,
    "authorizer.trusted_proxies": ["127.0.0.1/32"],
    ...more,
  });
  return start(["--config", config], folder, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    ...env,
  });
}

function evaluate(
  program: RunningProgram,
  headers: Record<string, string> = {},
  user = "ann",
): Promise<Response> {
  return fetch(`${program.service}/access/v1/evaluation`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({
      subject: { type: "user", id: user },
      action: { name: "fs:ReadObject" },
      resource: { type: "arn", id: ARN },
    }),
  });
}

async function spansOf(trace: string, least = 1): Promise<readonly ReceivedSpan[]> {
  for (;;) {
    const found = collector.spans.filter(({ traceId }) => traceId === trace);
    if (found.length >= least && found.some(({ kind }) => kind === 2)) return found;
    await delay(20);
  }
}

/** The records of the decision log, of the one chain below its directory. */
function recordsIn(folder: string): readonly LoggedLine[] {
  const directory = join(folder, "decisions");
  const chains = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return chains.flatMap(({ name }) => linesOf(join(directory, name)));
}

const serverSpan = (spans: readonly ReceivedSpan[]): ReceivedSpan =>
  spans.find(({ kind }) => kind === 2) as ReceivedSpan;

describe("a traced service", () => {
  it("exports a request as a child of the caller's span, with its decision and the reads of the store", async () => {
    const program = await startTraced();
    const response = await evaluate(program, { traceparent: SAMPLED, tracestate: "vendor=1" });
    expect(await response.json()).toEqual({ decision: true });
    const spans = await spansOf(TRACE, 3);
    const server = serverSpan(spans);
    expect(server).toMatchObject({
      name: "POST /access/v1/evaluation",
      parentId: PARENT,
      resource: { "service.name": "svc-authorizer" },
      attributes: {
        "http.request.method": "POST",
        "http.route": "/access/v1/evaluation",
        "http.response.status_code": 200,
        "svc_authorizer.caller": "data-server",
        "svc_authorizer.decisions.allow": 1,
        "svc_authorizer.decision.allowed": true,
        "svc_authorizer.decision.user": "ann",
        "svc_authorizer.decision.action": "fs:ReadObject",
        "svc_authorizer.request_id": response.headers.get("x-request-id"),
      },
    });
    expect(response.headers.get("traceresponse")).toBe(`00-${TRACE}-${server.spanId}-01`);
    const decide = spans.find(({ name }) => name === "decide") as ReceivedSpan;
    expect(decide.parentId).toBe(server.spanId);
    const reads = spans.filter(({ name }) => name.startsWith("store."));
    expect(reads.length).toBeGreaterThan(0);
    for (const { parentId } of reads) expect(parentId).toBe(decide.spanId);
    expect(await program.end()).toBe(0);
  });

  it("writes its own trace into the decision log and the answer where the caller names none", async () => {
    const program = await startTraced();
    const response = await evaluate(program, {}, "nobody");
    const trace = /^00-([0-9a-f]{32})-[0-9a-f]{16}-01$/.exec(
      response.headers.get("traceresponse") ?? "",
    )?.[1] as string;
    const server = serverSpan(await spansOf(trace));
    expect(server.parentId).toBe("");
    expect(server.attributes["svc_authorizer.decision.allowed"]).toBe(false);
    expect(await program.end()).toBe(0);
    const records = recordsIn(folder).filter((line) => "trace_id" in line);
    expect(records).toMatchObject([{ trace_id: trace, subject: { id: "nobody" } }]);
  });

  it("traces management calls, batches, failures and subrequests of proxies", async () => {
    const program = await startTraced();
    const basic = `Basic ${Buffer.from(`AKIATRACETEST:${SECRET}`).toString("base64")}`;
    const id = (number: number): string => `${number}`.padStart(32, "a");
    const parent = (number: number) => ({ traceparent: `00-${id(number)}-${PARENT}-01` });
    await fetch(`${program.user}/api/v1/auth/users`, { headers: { authorization: basic, ...parent(1) } });
    await fetch(`${program.service}/access/v1/evaluations`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", ...parent(2) },
      body: JSON.stringify({
        subject: { type: "user", id: "ann" },
        action: { name: "fs:ReadObject" },
        evaluations: Array.from({ length: 200 }, () => ({ resource: { type: "arn", id: ARN } })),
      }),
    });
    await fetch(`${program.service}/access/v1/check`, {
      method: "POST",
      headers: { authorization: "Bearer wrong", "content-type": "application/json", ...parent(3) },
      body: "{}",
    });
    const passed = await fetch(`${program.service}/forward-auth`, {
      headers: {
        authorization: basic,
        "x-svc-proxy-token": PROXY_TOKEN,
        "x-forwarded-method": "GET",
        "x-forwarded-uri": "/api/v1/repositories/r",
        "x-forwarded-host": "svc.example.com",
        ...parent(4),
      },
    });
    expect(serverSpan(await spansOf(id(1)))).toMatchObject({
      parentId: PARENT,
      attributes: { "http.route": "/api/v1/auth/users", "svc_authorizer.caller": "ann" },
    });
    const batch = await spansOf(id(2));
    expect(serverSpan(batch).attributes["svc_authorizer.decisions.allow"]).toBe(200);
    expect(batch.length).toBeLessThan(70);
    expect(serverSpan(await spansOf(id(3))).attributes["http.response.status_code"]).toBe(401);
    const forward = serverSpan(await spansOf(id(4)));
    expect(forward.attributes).toMatchObject({
      "http.response.status_code": passed.status,
      "svc_authorizer.decision.entrance": "forward_auth",
      "svc_authorizer.decision.action": "fs:ReadRepository",
      "svc_authorizer.decision.user": "ann",
    });
    expect(passed.headers.get("traceresponse")).toBe(`00-${id(4)}-${forward.spanId}-01`);
    expect(await program.end()).toBe(0);
    expect(collector.spans.map(({ name }) => name)).not.toContain("GET /healthz");
  });

  it("puts the calls of svcctl into the trace that TRACEPARENT names", async () => {
    const program = await startTraced();
    const env = {
      SVCCTL_SERVER_ENDPOINT_URL: program.user,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIATRACETEST",
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    };
    const whoami = (more: Record<string, string>) =>
      promisify(execFile)(process.execPath, [SVCCTL, "whoami"], {
        cwd: folder,
        env: { ...process.env, HOME: folder, ...env, ...more },
      });
    await whoami({ TRACEPARENT: SAMPLED, TRACESTATE: "vendor=1" });
    const spans = await spansOf(TRACE);
    for (const span of spans.filter(({ kind }) => kind === 2)) expect(span.parentId).toBe(PARENT);
    await whoami({ TRACEPARENT: "00-nonsense" });
    expect(await program.end()).toBe(0);
    expect(collector.spans.some(({ kind, parentId }) => kind === 2 && parentId === "")).toBe(true);
  });

  it("exports no secret: of callers, of users, of itself, of the collector", async () => {
    const program = await startTraced({ OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${HEADER_SECRET}` });
    const basic = Buffer.from(`AKIATRACETEST:${SECRET}`).toString("base64");
    await evaluate(program, { traceparent: SAMPLED });
    await fetch(`${program.user}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_key_id: "AKIATRACETEST", secret_access_key: SECRET }),
    });
    await fetch(`${program.user}/api/v1/auth/users?after=${SECRET}`, {
      headers: { authorization: `Basic ${basic}`, cookie: `access_token=${SECRET}` },
    });
    await fetch(`${program.service}/forward-auth`, {
      headers: {
        authorization: `Basic ${basic}`,
        "x-svc-proxy-token": PROXY_TOKEN,
        "x-forwarded-method": "GET",
        "x-forwarded-uri": `/api/v1/repositories/r?token=${SECRET}`,
        "x-forwarded-host": "svc.example.com",
      },
    });
    expect(await program.end()).toBe(0);
    expect(collector.spans.filter(({ kind }) => kind === 2)).toHaveLength(4);
    expect(collector.headers[0]?.["x-collector-key"]).toBe(HEADER_SECRET);
    for (const secret of [TOKEN, KEY, PROXY_TOKEN, SECRET, basic, HEADER_SECRET]) {
      expect(collector.text()).not.toContain(secret);
    }
  });

  it("traces what Envoy asks over gRPC, in the trace of the call or else of the client's request", async () => {
    const program = await startTraced({}, { "authorizer.ext_authz.listen_address": "127.0.0.1:0" });
    const address = /ext_authz=(\S+)/.exec(program.stdout())?.[1] as string;
    const envoy = new EnvoyClient(address);
    const asked = { path: "/api/v1/repositories/r", headers: [["traceparent", SAMPLED]] as const };
    await envoy.check(asked, { authorization: `Bearer ${TOKEN}` });
    const other = "d".repeat(32);
    const metadata = { authorization: `Bearer ${TOKEN}`, traceparent: `00-${other}-${PARENT}-01` };
    await envoy.check(asked, metadata);
    envoy.close();
    for (const trace of [TRACE, other]) {
      const spans = await spansOf(trace);
      const server = serverSpan(spans);
      expect(server).toMatchObject({
        name: "POST /envoy.service.auth.v3.Authorization/Check",
        parentId: PARENT,
        attributes: { "http.response.status_code": 401, "svc_authorizer.caller": "data-server" },
      });
    }
    expect(await program.end()).toBe(0);
  });

  it("leaves out users and resources where the decision log masks them", async () => {
    const program = await startTraced({}, { "authorizer.decision_log.mask": ["/subject/id", "/resource"] });
    await evaluate(program, { traceparent: SAMPLED });
    const attributes = Object.keys(serverSpan(await spansOf(TRACE)).attributes);
    expect(attributes).toContain("svc_authorizer.decision.action");
    expect(attributes).not.toContain("svc_authorizer.decision.user");
    expect(attributes).not.toContain("svc_authorizer.decision.resource");
    expect(await program.end()).toBe(0);
    expect(collector.text()).not.toContain("repository/r/object/o");
  });

  it.each([
    [["/subject/id"], ["ann"], ["data-server", "fs:ReadObject"], [true, false]],
    [["/caller/name"], ["data-server"], ["fs:ReadObject", "ann"], [false, false]],
    [["/action"], ["fs:ReadObject", "auth:ReadUser"], ["data-server", "ann"], [true, true]],
    [["/*/id", "/operation"], ["ann", "object/o"], ["evaluation"], [false, false]],
  ])("leaves out callers and actions, too, where %j names them", async (mask, hidden, shown, named) => {
    const program = await startTraced({}, { "authorizer.decision_log.mask": mask });
    await evaluate(program, { traceparent: SAMPLED });
    const basic = Buffer.from(`AKIATRACETEST:${SECRET}`).toString("base64");
    await fetch(`${program.user}/api/v1/auth/users/bob`, { headers: { authorization: `Basic ${basic}` } });
    expect(await program.end()).toBe(0);
    const ofRequests = collector.spans.filter(({ kind }) => kind === 2);
    expect(ofRequests).toHaveLength(2);
    const texts = collector.spans.flatMap(({ attributes }) => Object.values(attributes)).map(String);
    for (const one of hidden) expect(texts.filter((text) => text.includes(one))).toEqual([]);
    for (const one of shown) expect(texts).toContain(one);
    const callers = ofRequests.map(({ attributes }) => "svc_authorizer.caller" in attributes);
    expect(callers).toEqual(named);
  });

  it("leaves records of batches as they are", async () => {
    const program = await startTraced();
    await evaluate(program);
    const response = await fetch(`${program.service}/access/v1/evaluations`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json", traceparent: SAMPLED },
      body: JSON.stringify({
        subject: { type: "user", id: "ann" },
        action: { name: "fs:ReadObject" },
        context: { SourceIp: "192.0.2.7" },
        evaluations: [{ resource: { type: "arn", id: ARN } }],
      }),
    });
    expect(await response.json()).toEqual({ evaluations: [{ decision: true }] });
    expect(await program.end()).toBe(0);
    const [record] = recordsIn(folder).filter((line) => JSON.stringify(line).includes('"evaluations"'));
    expect(JSON.stringify(record)).toContain("192.0.2.7");
  });

  it("gives each of several processes its traces", async () => {
    const program = await startTraced(
      {},
      { "authorizer.workers": 2, "database.type": "local", "database.local.path": join(folder, "data") },
    );
    await evaluate(program, { traceparent: SAMPLED });
    expect(serverSpan(await spansOf(TRACE)).parentId).toBe(PARENT);
    expect(await program.end()).toBe(0);
  });
});

describe("sampling", () => {
  it("takes about the share that is asked for, and what sampled callers send", async () => {
    const program = await startTraced({
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25",
    });
    const answers = await Promise.all(Array.from({ length: 400 }, () => evaluate(program)));
    const named = answers.filter(({ headers }) => headers.has("traceresponse")).length;
    expect(named).toBeGreaterThan(40);
    expect(named).toBeLessThan(180);
    await evaluate(program, { traceparent: SAMPLED });
    await evaluate(program, { traceparent: `00-${"c".repeat(32)}-${PARENT}-00` });
    await evaluate(program, { traceparent: "nonsense" });
    await spansOf(TRACE);
    expect(await program.end()).toBe(0);
    expect(collector.spans.filter(({ traceId }) => traceId === "c".repeat(32))).toEqual([]);
    const roots = collector.spans.filter(({ kind, parentId }) => kind === 2 && parentId === "").length;
    expect(roots - named).toBeGreaterThanOrEqual(0);
    expect(roots - named).toBeLessThanOrEqual(1);
  });
});

describe("a collector that does not work", () => {
  it.each(["refuse", "hang"] as const)("(%s) delays no answer, and is reported once", async (mode) => {
    const program = await startTraced({ OTEL_EXPORTER_OTLP_TIMEOUT: "300", OTEL_BSP_MAX_QUEUE_SIZE: "64" });
    collector.mode = mode;
    const slow = httpRequest(collector.endpoint).on("error", () => {});
    slow.end();
    for (let round = 0; round < 20; round++) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => evaluate(program)));
      for (const { status } of answers) expect(status).toBe(200);
    }
    const failed = async (): Promise<number> => {
      const text = await (await fetch(`${program.metrics}/metrics`)).text();
      return Number(/^svc_authorizer_trace_spans_failed_total (\d+)$/m.exec(text)?.[1]);
    };
    while ((await failed()) === 0) await delay(50);
    expect(program.stdout().match(/traces cannot be exported/g)).toHaveLength(1);
    collector.mode = "take";
    while (!program.stdout().includes("traces are exported again")) {
      await evaluate(program);
      await delay(20);
    }
    expect(await program.end()).toBe(0);
    expect(program.stderr()).toBe("");
  });

  it("does not hold up the end of the service", async () => {
    const program = await startTraced({ OTEL_BSP_SCHEDULE_DELAY: "60000" });
    collector.mode = "hang";
    await evaluate(program);
    expect(await program.end()).toBe(0);
    expect(collector.requests).toBe(1);
  });
});

describe("the end of the service", () => {
  it("exports what waits", async () => {
    const program = await startTraced({ OTEL_BSP_SCHEDULE_DELAY: "60000" });
    await evaluate(program, { traceparent: SAMPLED });
    expect(collector.spans).toEqual([]);
    expect(await program.end()).toBe(0);
    expect(serverSpan(await spansOf(TRACE)).parentId).toBe(PARENT);
  });
});

describe("without OTEL variables", () => {
  it.each([{}, { OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }])(
    "%j loads nothing of OpenTelemetry and answers no trace",
    async (env) => {
      const loaded = join(folder, "loaded");
      const hook = join(folder, "hook.mjs");
      writeFileSync(
        hook,
        `import { registerHooks } from "node:module"; import { appendFileSync } from "node:fs";
      registerHooks({ load(url, context, next) { appendFileSync(${JSON.stringify(loaded)}, url + "\\n"); return next(url, context); } });`,
      );
      const endpoint = Object.keys(env).length === 0 ? "" : collector.endpoint;
      const program = await startTraced({
        ...env,
        OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
        NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=${hook}`,
      });
      const response = await evaluate(program, { traceparent: SAMPLED });
      expect(response.headers.has("traceresponse")).toBe(false);
      expect(await program.end()).toBe(0);
      const urls = readFileSync(loaded, "utf8");
      expect(urls).toMatch(/\/src\/main\.[jt]s$/m);
      expect(urls).not.toContain("@opentelemetry");
      expect(recordsIn(folder).filter((line) => "trace_id" in line)).toMatchObject([{ trace_id: TRACE }]);
    },
  );
});
