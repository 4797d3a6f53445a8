/** Stands in for AWS's security token service: it verifies signatures with known keys, and says whose they are. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type MappedRequest, sign } from "../naive-signer.ts";

/** A caller whom it knows. */
interface AwsCaller {
  readonly accessKeyId: string;
  readonly secret: string;
  readonly arn: string;
}

/** The server. */
interface StsStandIn {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** Targets that reached it, with the header that names the server. */
  readonly reached: { readonly target: string; readonly serverId: string | undefined }[];
  /** Answers in its place, where a test sets it. */
  answer:
    | (() => { readonly status: number; readonly body: string; readonly headers?: Record<string, string> })
    | undefined;
  close(): Promise<void>;
}

const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** A GetCallerIdentity, signed for a server as its tool does. */
export function presignIdentity(
  caller: Pick<AwsCaller, "accessKeyId" | "secret">,
  of: {
    readonly host: string;
    readonly serverId: string;
    readonly at: number;
    readonly token?: string;
    readonly region?: string;
    readonly expires?: string;
  },
): MappedRequest {
  const timestamp = new Date(of.at).toISOString().replace(/[-:]|\.\d+/g, "");
  return sign({
    form: "presigned",
    method: "POST",
    path: "/",
    query: [
      ["Action", "GetCallerIdentity"],
      ["Version", "2011-06-15"],
      ...(of.token === undefined ? [] : [["X-Amz-Security-Token", of.token] as const]),
    ],
    headers: { host: of.host, "x-lakefs-server-id": of.serverId },
    accessKeyId: caller.accessKeyId,
    secret: caller.secret,
    timestamp,
    expires: of.expires ?? "60",
    payload: EMPTY_SHA256,
    algorithm: "AWS4-HMAC-SHA256",
    scope: [timestamp.slice(0, 8), of.region ?? "us-east-1", "sts", "aws4_request"],
  });
}

/** Starts it on a free port. */
export async function startSts(callers: readonly AwsCaller[]): Promise<StsStandIn> {
  const reached: { target: string; serverId: string | undefined }[] = [];
  const own: Pick<StsStandIn, "answer"> = { answer: undefined };
  const server = createServer((request, response) => {
    const serverId = request.headers["x-lakefs-server-id"];
    reached.push({ target: request.url ?? "", serverId: String(serverId ?? "") || undefined });
    const given =
      own.answer?.() ??
      answerTo(callers, request.url ?? "", {
        host: request.headers.host ?? "",
        serverId: String(serverId ?? ""),
      });
    response.writeHead(given.status, { "content-type": "text/xml", ...given.headers }).end(given.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return Object.assign(own, {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    reached,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

function answerTo(
  callers: readonly AwsCaller[],
  target: string,
  { host, serverId }: { readonly host: string; readonly serverId: string },
): { status: number; body: string; headers?: Record<string, string> } {
  const query = new URL(target, "http://sts").searchParams;
  const [accessKeyId = "", , region = ""] = (query.get("X-Amz-Credential") ?? "").split("/");
  const caller = callers.find((one) => one.accessKeyId === accessKeyId);
  const date = query.get("X-Amz-Date") ?? "";
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const token = query.get("X-Amz-Security-Token") ?? undefined;
  const again = presignIdentity(caller ?? { accessKeyId, secret: "unknown" }, {
    host,
    serverId,
    at,
    region,
    expires: query.get("X-Amz-Expires") ?? "",
    ...(token !== undefined && { token }),
  });
  const wanted = new URLSearchParams(again.query).get("X-Amz-Signature");
  if (caller === undefined || wanted !== query.get("X-Amz-Signature"))
    return {
      status: 403,
      body: "<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>",
    };
  return { status: 200, body: identityXml(caller.arn) };
}

/** The answer about a caller. */
export function identityXml(arn: string): string {
  return `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>${arn}</Arn><UserId>U</UserId><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`;
}

/** The parts of a signed request, as a data server's tool names them. */
export function identityRequest(signed: MappedRequest): Record<string, unknown> {
  const query = new URLSearchParams(signed.query);
  const text = (name: string): string => query.get(name) ?? "";
  const [access_key_id, , region] = text("X-Amz-Credential").split("/");
  return {
    method: "POST",
    host: signed.headers.get("host"),
    region,
    action: "GetCallerIdentity",
    date: text("X-Amz-Date"),
    expiration_duration: text("X-Amz-Expires"),
    access_key_id,
    signature: text("X-Amz-Signature"),
    signed_headers: text("X-Amz-SignedHeaders").split(";"),
    version: "2011-06-15",
    algorithm: "AWS4-HMAC-SHA256",
    security_token: text("X-Amz-Security-Token"),
  };
}

/** The body of the call. */
export function identityBody(parts: unknown): { readonly identity_token: string } {
  return { identity_token: Buffer.from(JSON.stringify(parts)).toString("base64") };
}
