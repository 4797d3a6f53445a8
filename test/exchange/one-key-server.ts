/**
 * Stands in for a data server that knows one key: it takes Basic for the main API and Signature Version 4 for S3, reads
 * both as the data server does (first value of a name, the signed headers alone), and records what it served.
 */

import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";

/** The one key, new in each run. */
export const SERVER_KEY = {
  accessKeyId: "AKIAJTHEONEKEYTHEONQ",
  secret: randomBytes(30).toString("base64"),
};

/** A request that arrived. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage["headers"];
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** The answer: 200 for the one key's credential, and for what needs none. */
  readonly status: number;
}

/** The server. */
export interface OneKeyServer {
  readonly port: number;
  readonly arrived: Arrived[];
  /** Requests that were cut before their end. */
  readonly cut: number;
  /** The requests that were served with the key. */
  readonly served: readonly Arrived[];
  close(): Promise<void>;
}

/**
 * Starts it on a free port of loopback.
 * @param repositories names, sorted
 * @param tls certificate and key of a server over TLS
 * @param before runs before each answer
 */
export async function startOneKeyServer(
  repositories: readonly string[] = [],
  tls?: { readonly cert: string; readonly key: string },
  before: (target: string) => Promise<void> = async () => {},
): Promise<OneKeyServer> {
  const arrived: Arrived[] = [];
  let cut = 0;
  const take: RequestListener = (request, response) => {
    const pieces: Buffer[] = [];
    request.on("error", () => {
      cut++;
      response.destroy();
    });
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", async () => {
      const { method = "", url: target = "", headers, rawHeaders } = request;
      const body = Buffer.concat(pieces);
      await before(target);
      const status = statusOf({ method, target, headers }, body);
      arrived.push({ method, target, headers, rawHeaders, body, status });
      const isList = method === "GET" && /^\/api\/v1\/repositories(?:\?|$)/.test(target);
      const served = () => (isList ? listOf(repositories, target) : answerTo(method, target, headers));
      const text = status === 200 ? served() : "refused by the data server";
      response.writeHead(status, { "content-length": Buffer.byteLength(text), etag: '"e"' });
      response.end(method === "HEAD" ? "" : text);
    });
  };
  const server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    arrived,
    get cut() {
      return cut;
    },
    get served() {
      return arrived.filter(({ status, headers }) => status === 200 && headers.authorization !== undefined);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** As the data server answers listRepositories. */
function listOf(repositories: readonly string[], target: string): string {
  const query = new URL(target, "http://data").searchParams;
  const [prefix, after, search] = ["prefix", "after", "search"].map((name) => query.get(name) ?? "");
  const left = repositories.filter(
    (id) => id > (after as string) && id.startsWith(prefix as string) && id.includes(search as string),
  );
  const page = left.slice(0, Number(query.get("amount") ?? 100));
  const results = page.map((id) => ({ id, creation_date: 1_700_000_000, default_branch: "main" }));
  const hasMore = left.length > page.length;
  const next_offset = hasMore ? page.at(-1) : "";
  return JSON.stringify({
    pagination: { has_more: hasMore, next_offset, results: page.length, max_per_page: 1000 },
    results,
  });
}

function answerTo(method: string, target: string, headers: IncomingMessage["headers"]): string {
  const xml = (name: string, content = "") => `<?xml version="1.0"?><${name}>${content}</${name}>`;
  if (method === "POST" && /[?&]uploads/.test(target)) {
    return xml("InitiateMultipartUploadResult", "<UploadId>u</UploadId>");
  }
  if (method === "POST" && target.includes("uploadId=")) return xml("CompleteMultipartUploadResult");
  if (method === "POST" && /[?&]delete/.test(target)) return xml("DeleteResult");
  if (headers["x-amz-copy-source"] !== undefined) return xml("CopyObjectResult", "<ETag>e</ETag>");
  if (target.startsWith("/api/")) return "{}";
  if (/[?&](?:list-type|prefix)=/.test(target)) return xml("ListBucketResult", "<KeyCount>0</KeyCount>");
  return method === "GET" ? "content" : "";
}

type Head = Pick<Arrived, "method" | "target" | "headers">;

function statusOf(request: Head, body: Buffer): number {
  const { target, headers } = request;
  if (target === "/api/v1/healthcheck") return 200;
  const { authorization } = headers;
  if (target.startsWith("/api/")) {
    const basic = `${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`;
    return authorization === `Basic ${Buffer.from(basic).toString("base64")}` ? 200 : 401;
  }
  return isSignedByKey(request, body) ? 200 : 403;
}

const SIGNED =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;

/** Verifies as the data server does. */
export function isSignedByKey({ method, target, headers }: Head, body?: Buffer): boolean {
  const [, key, date = "", region = "", names = "", given = ""] =
    SIGNED.exec(headers.authorization ?? "") ?? [];
  if (key !== SERVER_KEY.accessKeyId) return false;
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = firstValues(mark < 0 ? "" : target.slice(mark + 1));
  const content = headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD";
  const list = names.split(";").sort();
  const everyAmz = Object.keys(headers).filter((name) => name.startsWith("x-amz-"));
  if (!list.includes("host") || !everyAmz.every((name) => list.includes(name))) return false;
  const text = [
    method,
    decodeURIComponent(path).split("/").map(encode).join("/"),
    [...query.keys()]
      .filter((name) => name !== "X-Amz-Signature")
      .sort()
      .map((name) => `${encode(name)}=${encode(query.get(name) ?? "")}`)
      .join("&"),
    ...list.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replace(/\s+/g, (run) => run[0] ?? "")}`,
    ),
    "",
    names,
    content,
  ].join("\n");
  const stamp = query.get("X-Amz-Date") ?? String(headers["x-amz-date"] ?? headers.date ?? "");
  const iso = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z");
  if (!stamp.startsWith(date) || !(Math.abs(Date.now() - Date.parse(iso)) <= 900_000)) return false;
  const digest = createHash("sha256").update(text, "latin1").digest("hex");
  const hmac = (by: string | Buffer, what: string) => createHmac("sha256", by).update(what).digest();
  const signing = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(
    hmac,
    `AWS4${SERVER_KEY.secret}`,
  );
  const own = hmac(signing, `AWS4-HMAC-SHA256\n${stamp}\n${date}/${region}/s3/aws4_request\n${digest}`);
  if (!timingSafeEqual(own, Buffer.from(given, "hex"))) return false;
  if (body === undefined || !/^[0-9a-f]{64}$/.test(String(content))) return true;
  return createHash("sha256").update(body).digest("hex") === content;
}

function firstValues(query: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const pair of query.split("&").filter((one) => one !== "")) {
    const [name = "", ...rest] = pair.split("=").map((part) => part.replaceAll("+", " "));
    const key = decodeURIComponent(name);
    if (!values.has(key)) values.set(key, decodeURIComponent(rest.join("=")));
  }
  return values;
}

/** Bytes of UTF-8, each in one character, as the text is hashed. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
