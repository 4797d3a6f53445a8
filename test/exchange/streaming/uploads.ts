/** Uploads whose body is signed in chunks, sent to the streaming listener as a proxy sends them. */

import { once } from "node:events";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { beginChecksum } from "../../../src/exchange/streaming/checksums.ts";
import { PROXY_TOKEN, SECRET, signedBy, timestamp } from "../start-exchange.ts";
import { inChunks, signedParts } from "./chunk-signer.ts";

/** An upload, in the parts of which its body consists. */
export interface Upload {
  readonly method: string;
  readonly uri: string;
  /** Without the length. */
  readonly headers: readonly (readonly [string, string])[];
  readonly parts: readonly Buffer[];
}

/** The answer of the listener. */
interface UploadAnswer {
  /** 0: the connection was closed without one. */
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** The form of an upload. */
interface UploadForm {
  readonly chunk?: number;
  /** Name of the checksum in the trailer. */
  readonly trailer?: string | undefined;
  readonly uri?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An upload that a user signed. */
export function uploadOf(user: string, content: Buffer, form: UploadForm = {}): Upload {
  const { chunk = 16_384, trailer, uri = "/data/main/a", headers: more } = form;
  const hash = `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer === undefined ? "" : "-TRAILER"}`;
  const { headers } = signedBy(user, "PUT", uri, {
    headers: {
      "content-encoding": "aws-chunked",
      "x-amz-content-sha256": hash,
      "x-amz-decoded-content-length": String(content.length),
      ...(trailer === undefined ? {} : { "x-amz-trailer": trailer }),
      ...more,
    },
  });
  const named = new Map(headers);
  const stamp = named.get("x-amz-date") ?? timestamp();
  const checksum = beginChecksum(trailer ?? "");
  checksum?.update(content);
  const parts = signedParts({
    secret: SECRET,
    timestamp: stamp,
    scope: [stamp.slice(0, 8), "us-east-1", "s3", "aws4_request"],
    seed: named.get("authorization")?.slice(-64) ?? "",
    chunks: inChunks(content, chunk),
    trailer: trailer === undefined ? undefined : [trailer, checksum?.digest() ?? ""],
  });
  return { method: "PUT", uri, headers, parts };
}

/** A connection for each upload: a damaged one may end its own. */
const agent = new Agent({ keepAlive: false });

/**
 * Sends an upload.
 * @param url of the listener, or of a proxy before it
 * @param change other headers; a value of undefined leaves one out
 */
export async function send(
  url: string,
  { method, uri, headers, parts }: Upload,
  change: Readonly<Record<string, string | undefined>> = {},
): Promise<UploadAnswer> {
  const body = Buffer.concat(parts);
  const all = new Map<string, string | undefined>([
    ["x-svc-proxy-token", PROXY_TOKEN],
    ["content-length", String(body.length)],
    ...headers,
    ...Object.entries(change),
  ]);
  const { hostname, port } = new URL(url);
  const flat = [...all].flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  const sent = httpRequest({
    hostname,
    port,
    method,
    path: uri,
    agent,
    setHost: false,
    headers: flat,
  } as never);
  const answered = once(sent, "response");
  const failed = once(sent, "close");
  sent.on("error", () => undefined);
  sent.end(body);
  const response = await Promise.race([answered, failed.then(() => undefined)]).catch(() => undefined);
  if (response === undefined) return { status: 0, headers: {}, text: "" };
  const [answer] = response as [IncomingMessage];
  let text = "";
  answer.setEncoding("utf8").on("data", (piece) => {
    text += piece;
  });
  await once(answer, "close");
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}
