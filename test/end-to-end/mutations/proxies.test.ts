/**
 * Whatever a trusted proxy tells of a request, of any kind of proxy: no answer lets pass what is not allowed, and none is an internal
 * error.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sized } from "../../proofs/size.ts";
import { cleanUp, type RunningProgram } from "../program.ts";
import { clientRequest } from "./client-requests.ts";
import { PROXY_TOKEN, restoreExamples, sendBytes, startFull } from "./full-service.ts";
import { type ClientRequest, isAllowed } from "./second-opinion.ts";

const ORIGINAL = ["X-Original-Method", "X-Original-URI", "X-Original-Host"] as const;
const FORWARDED = ["X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host"] as const;
/** The headers of each proxy; Envoy asks at the path of the client. */
const NAMES = { nginx: ORIGINAL, caddy: FORWARDED, traefik: FORWARDED, envoy: undefined } as const;

type Names = (typeof NAMES)[keyof typeof NAMES];

/** A change of the lines of a request. */
interface Change {
  readonly place: number;
  readonly kind: "repeat" | "remove" | "add" | "fold" | "case" | "blank";
  readonly added: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom(...(["repeat", "remove", "add", "add", "fold", "case", "blank"] as const)),
  added: fc.constantFrom(
    ...["X-Original-Method: GET", "X-Original-URI: /api/v1/config", "X-Forwarded-Uri: /api/v1/healthcheck"],
    ...[
      "X-Forwarded-Method: OPTIONS",
      "X-Forwarded-Host: s3.example.com",
      "X-Forwarded-For: 10.0.0.1, x",
      "Host: b",
    ],
    ...[
      "X-Forwarded-For: ::ffff:1.2.3.4",
      "X-Forwarded-For: ,,",
      "X-Original-Content-Length: -1",
      "X_Original_URI: /",
    ],
    ...[
      "X-Original-Content-Length: 5",
      "Content-Length: 0",
      "Transfer-Encoding: chunked",
      "X-Svc-Error: AccessDenied",
    ],
    ...[
      "X-Svc-Reason: %zz",
      "X-Svc-Decision-Id: \u00ff",
      "Connection: X-Original-URI",
      "Expect: 100-continue",
    ],
  ),
});

/** The lines of the headers, changed. */
function changedLines(lines: readonly string[], { place, kind, added }: Change): readonly string[] {
  if (lines.length === 0) return lines;
  const at = place % lines.length;
  const line = lines[at] ?? "";
  const colon = line.indexOf(":");
  if (kind === "remove") return lines.toSpliced(at, 1);
  if (kind === "repeat") return lines.toSpliced(at, 0, line);
  if (kind === "add") return lines.toSpliced(at, 0, added);
  if (kind === "fold") return lines.with(at, line.replace(": ", ":\r\n "));
  if (kind === "case") return lines.with(at, line.slice(0, colon).toUpperCase() + line.slice(colon));
  return lines.with(at, `${line.slice(0, colon)}:  \t${line.slice(colon + 1)} \t`);
}

/** The lines of the headers with which a proxy asks. */
function linesOf(names: Names, { method, path, host, headers }: ClientRequest): readonly string[] {
  const told =
    names === undefined ? [`Host: ${host}`] : ["Host: authorizer", ...tell(names, [method, path, host])];
  const sent = headers.filter(
    ([name]) => name !== "" && !/^(?::.*|host|content-length|x-svc-proxy-token)$/.test(name),
  );
  return [...told, ...sent.map(([name, value]) => `${name}: ${value}`)];
}

/** The request of the client that lines tell; undefined where they tell none or several. */
function toldBy(names: Names, lines: readonly string[], request: ClientRequest): ClientRequest | undefined {
  const values = (names ?? ["Host"]).map((name) => {
    const named = lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    return named.length === 1 ? (named[0] as string).slice(name.length + 1).trim() : undefined;
  });
  if (values.includes(undefined)) return undefined;
  const [method = "", path = "", host = ""] = values;
  return names === undefined ? { ...request, host: method } : { ...request, method, path, host };
}

const tell = (names: readonly string[], values: readonly string[]): readonly string[] =>
  names.map((name, index) => `${name}: ${values[index]}`);

/** The request as the lines of a proxy can have it. */
function withoutBreaks({ method, path, host, headers }: ClientRequest): ClientRequest {
  const plain = (text: string): string => text.replaceAll("\r\n", "");
  return {
    ...{ method: plain(method), path: plain(path), host: plain(host) },
    headers: headers.map(([name, value]) => [plain(name), plain(value)]),
  };
}

describe.each(Object.keys(NAMES) as (keyof typeof NAMES)[])("of %s", (proxy) => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await startFull({ "authorizer.forward_auth.proxy": proxy });
    await restoreExamples(program);
  }, 60_000);
  afterAll(async () => {
    await program?.end("SIGKILL");
    cleanUp();
  });

  it("a mutated question lets nothing pass that is not allowed", { timeout: 3_600_000 }, async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(clientRequest, fc.array(change, { maxLength: 2 }), async (asked, changes) => {
        const names = NAMES[proxy];
        const request = withoutBreaks(asked);
        const lines = changes.reduce(changedLines, linesOf(names, request));
        const target =
          names === undefined ? `${request.method} /forward-auth/envoy${request.path}` : "GET /forward-auth";
        const first = [`${target} HTTP/1.1`, `X-Svc-Proxy-Token: ${PROXY_TOKEN}`];
        const bytes = Buffer.from([...first, ...lines, "", ""].join("\r\n"), "latin1");
        const text = await sendBytes(program.service, { bytes, cut: bytes.length, isReset: false });
        const [, status = ""] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
        seen.add(status);
        expect(status).not.toMatch(/^5/);
        if (!status.startsWith("2")) return;
        const [, user = ""] = /^X-Svc-User: (.*)\r$/m.exec(text) ?? [];
        const told = toldBy(names, lines, request);
        expect(told !== undefined && (await isAllowed(program, user, told)), text).toBe(true);
      }),
      { numRuns: sized(500, 20_000) },
    );
    expect([...seen]).toEqual(expect.arrayContaining(["200", "401", "403"]));
    expect(program.child.exitCode).toBeNull();
  });
});
