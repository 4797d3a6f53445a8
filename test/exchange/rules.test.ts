import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Answer, ask, type Headers } from "../api/forward-auth/ask.ts";
import { readFixture } from "../read-fixture.ts";
import { SERVER_KEY } from "./one-key-server.ts";
import { basicOf, EXCHANGE, PROXY_TOKEN, S3_DOMAIN, signedBy, startExchange } from "./start-exchange.ts";

interface Case {
  readonly name: string;
  readonly as?: string;
  readonly s3?: true;
  readonly method: string;
  readonly uri: string;
  readonly host?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signed?: readonly string[];
  readonly twice?: string;
  readonly why?: string;
}

const { cases } = readFixture<{ readonly cases: readonly Case[] }>("exchange/rules.yaml");

let authorizer: TestAuthorizer;
let withoutExchange: TestAuthorizer;
beforeAll(async () => {
  authorizer = await startExchange("nginx");
  const { "authorizer.forward_auth.proxy_token": token } = EXCHANGE;
  withoutExchange = await startExchange("nginx", {}, { "authorizer.forward_auth.proxy_token": token });
});
afterAll(async () => {
  await authorizer?.close();
  await withoutExchange?.close();
});

function credentialsOf({ as, s3, method, uri, headers = {}, signed, twice }: Case): Headers {
  if (s3 === undefined) return as === undefined ? [] : [["authorization", basicOf(as)]];
  // A value that comes twice is signed as both values joined.
  const joined =
    twice === undefined ? headers : { ...headers, [twice]: `${headers[twice]},${headers[twice]}` };
  const { headers: all } = signedBy(as ?? "", method, uri, { headers: joined, ...(signed && { signed }) });
  return all.flatMap(([name, value]): Headers => {
    if (name === "host") return [];
    if (name !== twice) return [[name, value]];
    const once = [name, headers[name] ?? ""] as const;
    return [once, once];
  });
}

function send(to: TestAuthorizer, one: Case): Promise<Answer> {
  return ask(to.url, "/forward-auth", [
    ["host", "authorizer"],
    ["x-svc-proxy-token", PROXY_TOKEN],
    ["x-original-method", one.method],
    ["x-original-uri", one.uri],
    ["x-original-host", one.host ?? (one.s3 ? S3_DOMAIN : "data.example.com")],
    ...credentialsOf(one),
  ]);
}

describe("refused whatever policies say (spec/exchange §4)", () => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", async (_name, one) => {
    const answer = await send(authorizer, one);
    const credential = answer.headers["x-svc-upstream-authorization"];
    if (one.why === undefined) {
      expect(answer).toMatchObject({ status: 200, headers: { "cache-control": "no-store" } });
      expect(typeof credential).toBe(one.as === undefined ? "undefined" : "string");
      return;
    }
    expect([401, 403]).toContain(answer.status);
    expect(answer.body.replaceAll("&apos;", "'").replaceAll("&#39;", "'")).toContain(one.why);
    expect(credential).toBeUndefined();
    expect(JSON.stringify(answer)).not.toContain(SERVER_KEY.secret);
  });

  it("without an exchange, the same requests are decided as before, and no answer has a credential", async () => {
    const attacks = ["upload of a hook", "staging", "PutObject of a hook", "users", "the one user"];
    for (const one of cases.filter(({ name }) => attacks.includes(name))) {
      const answer = await send(withoutExchange, one);
      expect(answer.status).toBe(200);
      expect(Object.keys(answer.headers)).not.toContain("cache-control");
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("x-svc-upstream"))).toEqual([]);
    }
  });
});
