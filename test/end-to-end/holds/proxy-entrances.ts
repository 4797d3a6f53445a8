/**
 * The entrances that no document of ours describes: what proxies ask, over HTTP and over gRPC. Each part of a request that can
 * hold many values, most of them lists inside texts, is filled until the service refuses it.
 */

import { EnvoyClient } from "../../api/ext-authz/envoy-client.ts";
import { range } from "../hostile-calls.ts";
import type { RunningProgram } from "../program.ts";

/** A request as its client sent it. */
interface Original {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: readonly (readonly [string, string])[];
}

/** A part of a request that can hold many values. */
interface Part {
  readonly name: string;
  readonly most: number;
  /** True if `alice` may do it, so that nothing but its size refuses it. */
  readonly isAllowed?: boolean;
  filled(count: number, basic: string): Original;
}

/** The proxy, and whom it asks about. */
interface Asking {
  readonly program: RunningProgram;
  readonly token: string;
  /** The credential of `alice`. */
  readonly basic: string;
}

/** A request to send, with less and less in it. */
export interface ProxyEntrance {
  readonly name: string;
  readonly most: number;
  readonly isAllowed: boolean;
  /** Sends it with so many values; gives the status that the client gets. */
  send(asking: Asking, count: number): Promise<number>;
}

const OBJECTS = "/api/v1/repositories/r1/refs/main/objects";
/** An object that `alice` may read. */
const OBJECT = `${OBJECTS}?path=x`;

/** A header of a signature of AWS with a list of signed headers. */
function signed(names: readonly string[]): string {
  const scope = "AKIAJEXAMPLEEXAMPLEQ/20260101/us-east-1/s3/aws4_request";
  return `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=${names.join(";")}, Signature=${"0".repeat(64)}`;
}

const PARTS: readonly Part[] = [
  {
    name: "names of the query",
    isAllowed: true,
    most: 400_000,
    filled: (count, basic) => ({
      path: `${OBJECT}&${range(count, (n) => n.toString(36)).join("&")}`,
      headers: [["authorization", basic]],
    }),
  },
  {
    name: "segments of the path",
    most: 500_000,
    filled: (count, basic) => ({
      path: `${OBJECTS}${"/a".repeat(count)}`,
      headers: [["authorization", basic]],
    }),
  },
  {
    name: "escapes of a name in the path",
    most: 300_000,
    filled: (count, basic) => ({
      path: `/api/v1/repositories/${"%61".repeat(count)}/branches`,
      headers: [["authorization", basic]],
    }),
  },
  {
    name: "escapes of an object in the query",
    isAllowed: true,
    most: 300_000,
    filled: (count, basic) => ({
      path: `${OBJECTS}?path=${"%2F".repeat(count)}`,
      headers: [["authorization", basic]],
    }),
  },
  {
    name: "cookies",
    most: 200_000,
    filled: (count) => ({
      path: OBJECT,
      headers: [["cookie", range(count, (n) => `${n.toString(36)}=1`).join("; ")]],
    }),
  },
  {
    name: "signed headers",
    most: 200_000,
    filled: (count) => ({
      path: "/r1/main/x",
      headers: [
        ["authorization", signed(["host", ...range(count, (n) => `x-amz-${n.toString(36)}`)])],
        ["x-amz-date", "20260101T000000Z"],
      ],
    }),
  },
  {
    name: "signed names of the query",
    most: 200_000,
    filled: (count) => ({
      path: `/r1/main/x?X-Amz-Signature=0&${range(count, (n) => `${(count - n).toString(36)}=%20`).join("&")}`,
    }),
  },
  {
    name: "hops of the client's address",
    isAllowed: true,
    most: 100_000,
    filled: (count, basic) => ({
      path: OBJECT,
      headers: [
        ["authorization", basic],
        ["x-forwarded-for", range(count, () => "127.0.0.1").join()],
      ],
    }),
  },
  {
    name: "headers",
    isAllowed: true,
    most: 100_000,
    filled: (count, basic) => ({
      path: OBJECT,
      headers: [["authorization", basic], ...range(count, (n) => [`x-${n.toString(36)}`, "1"] as const)],
    }),
  },
];

const PATIENCE_MS = 45_000;

async function askForwardAuth({ program }: Asking, { method = "GET", path = "", headers = [] }: Original) {
  const own = { "x-original-method": method, "x-original-uri": path, "x-original-host": "data.example.com" };
  const { status, body } = await fetch(`${program.service}/forward-auth`, {
    headers: { ...own, ...Object.fromEntries(headers) },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  await body?.cancel();
  return status;
}

async function askEnvoy({ program, token }: Asking, original: Original): Promise<number> {
  const envoy = new EnvoyClient(new URL(program.extAuthz ?? "").host);
  try {
    const { denied_response: denied } = await envoy.check(
      original,
      { authorization: `Bearer ${token}` },
      Date.now() + PATIENCE_MS,
    );
    return denied?.status.code ?? 200;
  } catch (error) {
    // What the transport refuses has no status of a client.
    if ((error as { code?: number }).code === undefined) throw error;
    return 431;
  } finally {
    envoy.close();
  }
}

/** Every part over both ways. */
export const PROXY_ENTRANCES: readonly ProxyEntrance[] = (
  [
    ["forward-auth", askForwardAuth],
    ["gRPC", askEnvoy],
  ] as const
).flatMap(([way, ask]) =>
  PARTS.map(({ name, most, isAllowed = false, filled }) => ({
    name: `${way}, ${name}`,
    most,
    isAllowed,
    send: (asking, count) => ask(asking, filled(count, asking.basic)),
  })),
);
