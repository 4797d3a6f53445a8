/**
 * One HTTP request whose answer is read as a whole, on `node:http`: `fetch` costs a process 40 ms to load, which is more
 * than most calls take.
 */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { http, https } from "./node-http.ts";
import { TransportFailure } from "./transport-failure.ts";

/** Largest answer that is read, in bytes. */
const LARGEST_ANSWER = 64 * 1024 * 1024;

/** Redirections that are followed. */
const MOST_REDIRECTIONS = 20;

/** Headers that only the server that they were meant for may see. */
const SECRET_HEADERS: ReadonlySet<string> = new Set(["authorization", "cookie", "proxy-authorization"]);

/** A request as it goes out. */
export interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Time for one try, in milliseconds; default 30,000. */
  readonly timeoutMs?: number;
  readonly redirect?: "follow" | "error";
}

/** The parts of an answer before its body. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Pick<Headers, "get">;
}

/** An answer as text. */
interface ReadAnswer extends AnswerHead {
  readonly text: string;
}

/**
 * Sends a request, follows redirections unless it says not to, and reads the answer.
 * @param signal ends it, with its reason as the cause of the error
 * @throws TransportFailure, or the error of the socket
 */
export async function httpRequest(request: ApiRequest, signal: AbortSignal): Promise<ReadAnswer> {
  let current = request;
  for (let followed = 0; followed <= MOST_REDIRECTIONS; followed += 1) {
    const message = await headOf(current, signal);
    const { statusCode: status = 0, statusMessage: statusText = "", headers } = message;
    const location = isRedirection(status) ? headers.location : undefined;
    if (location === undefined) {
      const get = (name: string): string | null => headerOf(headers, name);
      return { status, statusText, headers: { get }, text: await textOf(message) };
    }
    message.destroy();
    if (request.redirect === "error") throw new TransportFailure("unexpected redirect", false);
    current = redirected(current, status, location);
  }
  throw new TransportFailure("redirect count exceeded", false);
}

function headOf(request: ApiRequest, signal: AbortSignal): Promise<IncomingMessage> {
  const { method, headers, body } = request;
  const url = new URL(request.url);
  const module = url.protocol === "https:" ? https : url.protocol === "http:" ? http : undefined;
  if (module === undefined) throw new TransportFailure("unknown scheme", false);
  if (url.username !== "" || url.password !== "") {
    throw new TransportFailure("the URL must not hold a user or a password", false);
  }
  return new Promise((resolve, reject) => {
    // Node sends no length by itself with a DELETE, and its body would not be read.
    const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
    const sent = { "accept-encoding": "gzip", ...headers, ...length };
    const outgoing = module.request(url, { method, headers: sent, signal });
    outgoing.on("error", reject);
    outgoing.on("response", resolve);
    outgoing.end(body);
  });
}

function isRedirection(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** The request that follows a redirection, as browsers make it. */
function redirected(request: ApiRequest, status: number, location: string): ApiRequest {
  const from = new URL(request.url);
  const to = new URL(location, from);
  const { method, headers, body: _, ...rest } = request;
  const becomesGet = (status === 303 && method !== "HEAD") || (status < 303 && method === "POST");
  const kept = Object.entries(headers).filter(([name]) => {
    const lower = name.toLowerCase();
    if (SECRET_HEADERS.has(lower) && to.origin !== from.origin) return false;
    return !(becomesGet && lower.startsWith("content-"));
  });
  const next = { ...rest, url: to.href, headers: Object.fromEntries(kept) };
  return becomesGet ? { ...next, method: "GET" } : { ...request, ...next };
}

function headerOf(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await decoded(message)) {
    length += (chunk as Buffer).length;
    if (length > LARGEST_ANSWER) throw new TransportFailure("the answer is too large", false);
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function decoded(message: IncomingMessage): Promise<Readable> {
  if (message.headers["content-encoding"] !== "gzip") return message;
  const { createGunzip } = await import("node:zlib");
  const { pipeline } = await import("node:stream");
  // The reader of the last stream gets the error.
  return pipeline(message, createGunzip(), () => {});
}
