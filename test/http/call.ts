/** Calls of listeners by supertest, over connections that are kept: a test opens none of its own without a reason. */

import { Agent } from "node:http";
import type { Readable } from "node:stream";
import supertest, { type Response } from "supertest";

/** An answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text; "" without one. */
  readonly text: string;
  /** The parsed body; undefined where it is no JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** Parts of a request that not all calls have. */
export interface CallOptions {
  /** Sent as JSON, unless it is text or bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const CONNECTIONS = new Agent({ keepAlive: true });

/**
 * Makes a call and reads its answer; redirects are not followed.
 * @param url origin of the listener
 * @param target path and query
 */
export async function call(
  url: string,
  method: string,
  target: string,
  { body, headers = {} }: CallOptions = {},
): Promise<Answer> {
  const start = supertest(url)[method.toLowerCase() as "get"];
  const request = start(target).agent(CONNECTIONS).buffer(true).parse(asText);
  if (body !== undefined) request.type("application/json");
  request.set(headers);
  const response = await (body === undefined ? request : request.serialize(serialized).send(body as object));
  const text = typeof response.body === "string" ? response.body : "";
  return { status: response.status, headers: headersOf(response), text, body: parsed(text) };
}

/** The body as it came, whatever its type says. */
function asText(response: Response, done: (error: Error | null, text: string) => void): void {
  const stream = response as unknown as Readable;
  let text = "";
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    text += piece;
  });
  stream.on("end", () => done(null, text));
}

/** Bytes and text stay as they are. */
const serialized = (body: unknown) =>
  (typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)) as string;

function headersOf(response: Response): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers as Record<string, string | string[]>))
    for (const one of [value].flat()) headers.append(name, one);
  return headers;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
