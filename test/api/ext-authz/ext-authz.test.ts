import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { credentials, status } from "@grpc/grpc-js";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, newFolder, start, writeConfig } from "../../end-to-end/program.ts";
import { PROXY_TOKEN, startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { selfSigned } from "../../http/certificate.ts";
import { type Asked, EnvoyClient } from "./envoy-client.ts";
import { BRANCHES, bearer, by, DECIDER, GRPC, READER, started, TOKENS } from "./started.ts";

let authorizer: TestAuthorizer;
let envoy: EnvoyClient;
beforeAll(async () => {
  authorizer = await startBehindProxy(GRPC, { "authorizer.tokens": TOKENS });
  envoy = new EnvoyClient(authorizer.extAuthz as string);
});
afterAll(async () => {
  envoy?.close();
  await authorizer?.close();
  cleanUp();
});

describe("Check over gRPC (spec/security §2.12)", () => {
  it("lets an allowed request pass with its user, and removes what proxies alone may send", async () => {
    const answer = await envoy.check(by("writer"), bearer(DECIDER));
    expect(answer).toMatchObject({ status: { code: 0 } });
    expect(answer.denied_response).toBeUndefined();
    const headers = Object.fromEntries(
      answer.ok_response?.headers.map(({ header }) => [header.key, header.value]) ?? [],
    );
    expect(headers["x-svc-user"]).toBe("writer");
    expect(headers["x-svc-decision-id"]).toMatch(/^[\w-]{8,}$/);
    expect(answer.ok_response?.headers).toMatchObject([{ append_action: 2 }, { append_action: 2 }]);
    expect(answer.ok_response?.headers_to_remove).toContain("x-svc-proxy-token");
  });

  it("removes a decision id of the client's own from a preflight, which has none", async () => {
    const [, client] = await started({ "authorizer.forward_auth.preflight": "allow" });
    const headers = [
      ["origin", "https://app.example.com"],
      ["access-control-request-method", "PUT"],
      ["x-svc-decision-id", "d-of-the-client"],
    ] as const;
    const answer = await client.check({ method: "OPTIONS", path: BRANCHES, headers }, bearer(DECIDER));
    expect(answer).toMatchObject({ status: { code: 0 } });
    expect(answer.ok_response?.headers.map(({ header }) => header.key)).toEqual(["x-svc-user"]);
    expect(answer.ok_response?.headers_to_remove).toContain("x-svc-decision-id");
    const decided = await client.check(by("writer"), bearer(DECIDER));
    expect(decided.ok_response?.headers_to_remove).not.toContain("x-svc-decision-id");
  });

  it.each([
    ["without a credential", { path: BRANCHES }, 401, 16],
    ["with a wrong secret", { path: BRANCHES, headers: [["authorization", "Basic QUtJQTp4"]] }, 401, 16],
    ["at an unknown endpoint", by("writer", "/nothing/here"), 403, 7],
  ] as [string, Asked, number, number][])(
    "refuses a request %s as forward-auth does",
    async (_, asked, http, code) => {
      const answer = await envoy.check(asked, bearer(DECIDER));
      expect(answer).toMatchObject({
        status: { code },
        denied_response: { status: { code: http } },
      });
      expect(answer).not.toHaveProperty("ok_response");
      expect(JSON.parse(answer.denied_response?.body ?? "")).toHaveProperty("message");
      const names = answer.denied_response?.headers.map(({ header }) => header.key) ?? [];
      expect(names).toContain("content-type");
      expect(names.includes("www-authenticate")).toBe(http === 401);
      expect(names).not.toContain("x-svc-error");
    },
  );

  const ofWriter = () => by("writer");
  it.each([
    ["without a token", ofWriter, {}],
    ["with a wrong token", ofWriter, bearer("a-wrong-token-of-at-least-32-characters")],
    ["with a token without the scope decide", ofWriter, bearer(READER)],
    ["with joined headers", () => ({ ...by("writer"), joined: true }), bearer(DECIDER)],
    ["without the address of the client", () => ({ ...by("writer"), source: "" }), bearer(DECIDER)],
    ["with a name for the address", () => ({ ...by("writer"), source: "localhost" }), bearer(DECIDER)],
    ["without a host", () => ({ ...by("writer"), host: "" }), bearer(DECIDER)],
    ["with a relative path", () => by("writer", "api/v1"), bearer(DECIDER)],
    ["with a path above 64 KiB", () => by("writer", `${BRANCHES}?${"x".repeat(64 << 10)}`), bearer(DECIDER)],
    [
      "with two lengths",
      () =>
        by("writer", BRANCHES, [
          ["content-length", "1"],
          ["content-length", "2"],
        ]),
      bearer(DECIDER),
    ],
    [
      "with 501 headers",
      () =>
        by(
          "writer",
          BRANCHES,
          Array.from({ length: 500 }, (_, index) => [`x-${index}`, ""] as const),
        ),
      bearer(DECIDER),
    ],
  ] as [string, () => Asked, Record<string, string>][])(
    "refuses a call %s with 403, as a decision",
    async (_, asked, metadata) => {
      const answer = await envoy.check(asked(), metadata);
      expect(answer).toMatchObject({
        status: { code: 7 },
        denied_response: { status: { code: 403 } },
      });
      expect(answer).not.toHaveProperty("ok_response");
      expect(JSON.stringify(answer)).not.toContain(DECIDER);
    },
  );

  it("refuses two Authorization headers of a client, and a peer that is no trusted proxy", async () => {
    const twice = by("writer", BRANCHES, [["authorization", "Basic QUtJQTp4"]]);
    expect((await envoy.check(twice, bearer(DECIDER))).denied_response?.status.code).toBe(401);
    const [, elsewhere] = await started({ "authorizer.trusted_proxies": ["192.0.2.1"] });
    await expect(elsewhere.check(by("writer"), bearer(DECIDER))).rejects.toMatchObject({
      code: status.UNAVAILABLE,
    });
  });

  it("decides from the address that Envoy determines, whatever X-Forwarded-For says", async () => {
    await authorizer.directory.policies.create({
      name: "HomeOnly",
      statement: [
        {
          effect: "deny",
          action: ["fs:*"],
          resource: "*",
          condition: { NotIpAddress: { SourceIp: ["192.0.2.0/24"] } },
        },
      ],
    } as never);
    await authorizer.directory.users.attachPolicy("leaver", "HomeOnly");
    const forged = [["x-forwarded-for", "192.0.2.7"]] as const;
    const passes = async (source: string) =>
      (await envoy.check({ ...by("leaver", BRANCHES, forged), source }, bearer(DECIDER))).status.code === 0;
    expect([await passes("192.0.2.9"), await passes("198.51.100.9")]).toEqual([true, false]);
  });

  it("refuses more headers than a request may have, wherever the one that matters is", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => [`x-${index}`, ""] as const);
    const { headers = [] } = by("writer");
    const few = await envoy.check({ path: BRANCHES, headers: [...many(400), ...headers] }, bearer(DECIDER));
    expect(few).toMatchObject({ status: { code: 0 } });
    for (const listed of [
      [...headers, ...many(600)],
      [...many(50_000), ...headers],
    ]) {
      const answer = await envoy.check({ path: BRANCHES, headers: listed }, bearer(DECIDER));
      expect(answer).toMatchObject({ status: { code: 7 }, denied_response: { status: { code: 403 } } });
      expect(answer.denied_response?.body).toContain("too many headers");
    }
  });

  it("fails calls that are too large or too late, and answers others", async () => {
    const large = by("writer", BRANCHES, [["x-large", "x".repeat(2 * 1024 * 1024)]]);
    await expect(envoy.check(large, bearer(DECIDER))).rejects.toMatchObject({
      code: status.RESOURCE_EXHAUSTED,
    });
    await expect(envoy.check(by("writer"), bearer(DECIDER), Date.now() - 1)).rejects.toMatchObject({
      code: status.DEADLINE_EXCEEDED,
    });
    expect((await envoy.check(by("writer"), bearer(DECIDER))).status.code).toBe(0);
  });

  it("answers more calls at once than may wait with UNAVAILABLE, never with a pass", async () => {
    const [, busy] = await started({ "authorizer.limits.queue": 2 });
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, () => busy.check(by("nobody-knows"), bearer(DECIDER))),
    );
    for (const result of results) {
      if (result.status === "rejected") expect(result.reason.code).toBe(status.UNAVAILABLE);
      else expect(result.value.ok_response).toBeUndefined();
    }
    expect((await busy.check(by("writer"), bearer(DECIDER))).status.code).toBe(0);
  });

  it("is counted in the metrics", async () => {
    const text = await (await fetch(`${authorizer.metricsUrl}/metrics`)).text();
    const path = "/envoy.service.auth.v3.Authorization/Check";
    expect(text).toMatch(
      new RegExp(`svc_authorizer_http_requests_total\\{route="${path}",method="POST",status="2xx"\\} [1-9]`),
    );
    expect(text).toMatch(/svc_authorizer_decisions_total\{effect="allow",entrance="forward_auth"\} [1-9]/);
    expect(text).toMatch(/svc_authorizer_in_flight_requests 0$/m);
  });
});

describe("the listener of ext_authz", () => {
  it("tells its health without a token", async () => {
    expect(await envoy.health("")).toEqual({ status: 1 });
    expect(await envoy.health("envoy.service.auth.v3.Authorization")).toEqual({ status: 1 });
    await expect(envoy.health("other")).rejects.toMatchObject({ code: status.NOT_FOUND });
  });

  it("finishes what it has begun when it stops, says that it stops, and then takes no call", async () => {
    const other = await startBehindProxy(GRPC, {
      "authorizer.tokens": TOKENS,
      "authorizer.shutdown_delay": "1500ms",
    });
    const client = new EnvoyClient(other.extAuthz as string);
    const heard: number[] = [];
    const over = client.watch("", (one) => heard.push(one));
    while (heard.length === 0) await delay(10);
    const stopped = other.close();
    const answers: number[] = [];
    for (;;) {
      const code = await client.check(by("writer"), bearer(DECIDER)).then(
        (answer) => answer.status.code,
        () => undefined,
      );
      if (code === undefined) break;
      answers.push(code);
    }
    await stopped;
    await over;
    client.close();
    expect(new Set(answers)).toEqual(new Set([0]));
    expect(heard).toEqual([1, 2]);
  });

  it("has the TLS of the service listener, and asks for certificates where that does", async () => {
    const [server, caller, stranger] = [selfSigned("server"), selfSigned("caller"), selfSigned("stranger")];
    const folder = newFolder();
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const [, plain] = await started({
      "authorizer.tls.enabled": true,
      "authorizer.tls.cert_file": file("cert.pem", server.cert),
      "authorizer.tls.key_file": file("key.pem", server.key),
      "authorizer.tls.client_ca_file": file("ca.pem", caller.cert),
    });
    const address = plain.client.getChannel().getTarget().replace(/^dns:/, "");
    const as = (who?: { cert: string; key: string }) =>
      new EnvoyClient(
        address,
        credentials.createSsl(
          Buffer.from(server.cert),
          who && Buffer.from(who.key),
          who && Buffer.from(who.cert),
        ),
      );
    const soon = () => Date.now() + 3_000;
    for (const [client, passes] of [
      [as(caller), true],
      [as(stranger), false],
      [as(), false],
      [plain, false],
    ] as const) {
      const code = await client.check(by("writer"), bearer(DECIDER), soon()).then(
        (answer) => answer.status.code,
        () => undefined,
      );
      expect(code).toBe(passes ? 0 : undefined);
      client.close();
    }
  });

  it("is served by several processes, and takes tokens and certificates that are read again", async () => {
    const folder = newFolder();
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const [first, second] = [selfSigned("server"), selfSigned("server")];
    const config = writeConfig(folder, {
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "authorizer.ext_authz.listen_address": "127.0.0.1:0",
      "authorizer.workers": 2,
      "authorizer.tls.enabled": true,
      "authorizer.tls.cert_file": file("cert.pem", first.cert),
      "authorizer.tls.key_file": file("key.pem", first.key),
      "authorizer.tokens": [{ name: "envoy", token_file: file("token", DECIDER), scopes: ["decide"] }],
      "database.type": "local",
      "database.local.path": join(folder, "data"),
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": PROXY_TOKEN,
    });
    const program = await start(["--config", config], folder);
    const address = /ext_authz=(\S+)/.exec(program.stdout())?.[1] as string;
    /** The status that a client gets, who trusts one certificate: 401 shows that its call was judged. */
    const asked = async (trusted: string, token: string) => {
      const client = new EnvoyClient(address, credentials.createSsl(Buffer.from(trusted)));
      const answer = await client
        .check({ path: BRANCHES }, bearer(token), Date.now() + 2_000)
        .catch(() => undefined);
      client.close();
      return answer?.denied_response?.status.code;
    };
    for (let call = 0; call < 6; call++) expect(await asked(first.cert, DECIDER)).toBe(401);
    file("cert.pem", second.cert);
    file("key.pem", second.key);
    file("token", READER);
    program.child.kill("SIGHUP");
    // Each process reads the files in its own time: when all answers of a row are new, both have.
    for (let row = 0; row < 12; row++) {
      if ((await asked(second.cert, READER)) === 401) continue;
      await delay(50);
      row = -1;
    }
    for (let call = 0; call < 6; call++) {
      expect(await asked(second.cert, READER)).toBe(401);
      expect(await asked(second.cert, DECIDER)).toBe(403);
      expect(await asked(first.cert, READER)).toBeUndefined();
    }
    expect(await program.end()).toBe(0);
  });

  it("takes the data server's own token too", async () => {
    expect((await envoy.check(by("writer"), bearer(PROXY_TOKEN))).status.code).toBe(0);
  });
});
