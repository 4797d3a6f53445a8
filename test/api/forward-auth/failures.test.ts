/**
 * Tests requests about which no decision is possible (spec/security §2.2, spec/security §4.3, spec/security §5.3): an error,
 * never a pass.
 */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, describe, expect, it } from "vitest";
import type { Decisions } from "../../../src/decisions/decisions.ts";
import type { RequestAnswer } from "../../../src/decisions/requests.ts";
import type { HttpLimits } from "../../../src/http/limits.ts";
import { TrustedProxies } from "../../../src/http/request/client-address.ts";
import type { Identities, Identity } from "../../../src/identity/identity.ts";
import { openOidc } from "../../../src/identity/oidc/open-oidc.ts";
import { KnownSecret } from "../../../src/identity/secret-comparison.ts";
import { PROXY_TOKEN } from "../../gateways/start-behind-proxy.ts";
import { startService, type TestService } from "../../http/service-kit.ts";
import { type Answer, ask, basic, type Headers, told } from "./ask.ts";

const ALICE: Identity = { username: "alice", userId: "1", how: "access_key", accessKeyId: "AK" };
const ALLOWED: RequestAnswer = { operation: "op", required: null, allowed: true, effect: "allow", id: "d-1" };

/** The parts that may fail. */
interface Parts {
  readonly identify?: () => Identity | Promise<Identity>;
  readonly decide?: () => RequestAnswer | Promise<RequestAnswer>;
  readonly limits?: Partial<HttpLimits>;
}

let service: TestService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function start({
  identify = () => ALICE,
  decide = () => ALLOWED,
  limits = {},
}: Parts): Promise<string> {
  const decisions = { request: decide } as unknown as Decisions;
  service = await startService({
    filled: false,
    limits,
    more: () => ({
      decisions,
      forwardAuth: {
        decisions,
        oidc: openOidc([]),
        identities: { withAccessKey: identify, withLoginToken: identify } as unknown as Identities,
        proxy: "nginx",
        proxyToken: new KnownSecret(PROXY_TOKEN),
        missingBody: "every_resource",
        preflight: "deny",
        trusted: new TrustedProxies(["loopback"]),
        s3Domains: [],
        sessionCookies: new Set(),
        publicOrigin: undefined,
      },
    }),
  });
  return service.url;
}

const headers: Headers = [...told(), basic("writer")];
const call = (url: string): Promise<Answer> => ask(url, "/forward-auth", headers);
const unavailable = () => new AuthorizerError("unavailable", "the store is gone");

describe("no judgement, no pass", () => {
  it("with all parts in order a request passes", async () => {
    expect((await call(await start({}))).status).toBe(200);
  });

  it.each<[string, number, Parts]>([
    [
      "the store failing at once as the key is looked up",
      503,
      {
        identify: () => {
          throw unavailable();
        },
      },
    ],
    [
      "the store failing later as the key is looked up",
      503,
      { identify: () => Promise.reject(unavailable()) },
    ],
    [
      "the store failing at once as it is decided",
      503,
      {
        decide: () => {
          throw unavailable();
        },
      },
    ],
    ["the store failing later as it is decided", 503, { decide: () => Promise.reject(unavailable()) }],
    [
      "a fault of ours as the key is looked up",
      500,
      {
        identify: () => {
          throw new TypeError("x");
        },
      },
    ],
    ["a fault of ours as it is decided", 500, { decide: () => Promise.reject(new TypeError("x")) }],
    ["an allow that is none", 403, { decide: () => ({ ...ALLOWED, allowed: false }) }],
    ["an effect that is no allow", 403, { decide: () => ({ ...ALLOWED, effect: "neutral" }) }],
    [
      "a user's name that no header could carry",
      200,
      { identify: () => ({ ...ALICE, username: "a\r\nb: \u{1f600}\ud800" }) },
    ],
    [
      "a decision id that no header can carry",
      500,
      { decide: () => ({ ...ALLOWED, id: "a\r\nX-Svc-User: b" }) },
    ],
  ])("%s: %i", async (_what, status, parts) => {
    const answer = await call(await start(parts));
    expect(answer.status).toBe(status);
    if (status === 503) expect(answer.headers["retry-after"]).toBe("1");
    expect(answer.headers["x-svc-user"]).toBe(
      status === 200 ? "a%0D%0Ab:%20%F0%9F%98%80%EF%BF%BD" : undefined,
    );
    expect(answer.body).not.toMatch(/TypeError|store is gone at|\.ts:/);
    expect(service?.log.refusals.length).toBe(0);
  });

  it("beyond the places in the queue a request is 503, and the place of one that was answered is free", async () => {
    const { promise, resolve } = Promise.withResolvers<RequestAnswer>();
    const answers = [() => promise, () => ALLOWED];
    const url = await start({
      decide: () => (answers.shift() as () => RequestAnswer)(),
      limits: { queue: 1 },
    });
    const first = call(url);
    await expect.poll(() => answers.length).toBe(1);
    expect((await call(url)).status).toBe(503);
    resolve(ALLOWED);
    expect((await first).status).toBe(200);
    expect((await call(url)).status).toBe(200);
  });

  it("a judgement that comes too late changes no answer", async () => {
    const { promise, resolve } = Promise.withResolvers<RequestAnswer>();
    const url = await start({ decide: () => promise, limits: { requestTimeoutMs: 40 } });
    expect((await call(url)).status).toBe(503);
    resolve(ALLOWED);
    await new Promise(setImmediate);
    expect(service?.log.failures).toEqual([]);
  });

  it("while the listener stops, what is on its way is still judged, and the connection ends", async () => {
    const { promise, resolve } = Promise.withResolvers<RequestAnswer>();
    let asked = 0;
    const decide = () => {
      asked++;
      return promise;
    };
    const url = await start({ decide });
    const answer = call(url);
    await expect.poll(() => asked).toBe(1);
    const closed = service?.listener.close();
    resolve({ ...ALLOWED, allowed: false, effect: "deny", message: "no" });
    expect(await answer).toMatchObject({ status: 403, headers: { connection: "close" } });
    await closed;
  });
});
