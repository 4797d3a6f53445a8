/** One HTTP exchange whose bodies are streams: contents of objects never are in memory as a whole. */

import { writeSync } from "node:fs";
import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AnswerHead } from "@svc-authorizer/commands/rest-client/http-request.ts";
import { http, https } from "@svc-authorizer/commands/rest-client/node-http.ts";
import {
  TransportFailure,
  transportFailure,
} from "@svc-authorizer/commands/rest-client/transport-failure.ts";
import { giveBack } from "@svc-authorizer/commands/returned-memory.ts";
import { SocketMemory } from "./socket-memory.ts";

/** Longest time in which nothing moves before a try counts as failed, in milliseconds. */
const SILENCE_MS = 120_000;

/** A body of a request. */
export interface StreamBody {
  /** Bytes. */
  readonly size: number;
  /** Sends the content from its start, and ends the request; called once for each try. Stops where the request is over. */
  readonly send: (request: ClientRequest) => Promise<void>;
}

/** A request. */
export interface StreamRequest {
  readonly method: "GET" | "HEAD" | "PUT" | "POST";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: StreamBody;
  readonly signal?: AbortSignal | undefined;
}

/** The place in a file for the bytes of an answer. */
interface FileRange {
  /** Descriptor of the open file. */
  readonly file: number;
  /** Position of the first byte. */
  readonly start: number;
  /** Number of bytes. */
  readonly length: number;
  /** Called with all bytes in turn, as soon as they are in the file. */
  readonly onWritten: (bytes: Buffer) => void;
}

/** An answer whose body is not read yet. Whoever takes it reads the body to its end, or destroys it. */
export interface StreamAnswer extends AnswerHead {
  readonly body: IncomingMessage;
  /**
   * Reads the body to its end, and passes each piece on as it comes; the next one comes once `take` is done.
   * @throws what `take` throws; the reason of the signal
   */
  readonly each: (take: (piece: Buffer) => void | Promise<void>) => Promise<void>;
  /** Gives back the memory of a piece that {@link each} passed on and that nobody reads any more: not while `take` runs. */
  readonly giveBack: (piece: Buffer) => void;
  /**
   * Writes the body, which must have exactly the length of the range, into a file.
   * @throws Error with code ECONNRESET for a body of another length; the error of the file; the reason of the signal
   */
  readonly intoFile: (range: FileRange) => Promise<void>;
}

/** Keeps connections open between exchanges. */
export class HttpExchange {
  readonly #memory = new SocketMemory();
  readonly #agents: { readonly "http:": Agent; readonly "https:": SecureAgent };

  /** @param sockets connections to one server, at most */
  constructor(sockets: number) {
    // The proxy that Node was told to use (NODE_USE_ENV_PROXY=1), as for every other call.
    const { proxyEnv } = (http.globalAgent as { readonly options?: AgentOptions }).options ?? {};
    const options = {
      keepAlive: true,
      maxSockets: sockets,
      maxFreeSockets: sockets,
      ...(proxyEnv !== undefined && { proxyEnv }),
    };
    this.#agents = { "http:": new http.Agent(options), "https:": new https.Agent(options) };
  }

  /**
   * Makes one try.
   * @throws TransportFailure when there is no answer; the reason of the signal when that ends it
   */
  async send(request: StreamRequest): Promise<StreamAnswer> {
    request.signal?.throwIfAborted();
    try {
      return await this.#exchange(request);
    } catch (error) {
      request.signal?.throwIfAborted();
      throw transportFailure(error, SILENCE_MS);
    }
  }

  /** Closes the connections that are open. */
  close(): void {
    this.#agents["http:"].destroy();
    this.#agents["https:"].destroy();
  }

  #exchange({ method, url, headers = {}, body, signal }: StreamRequest): Promise<StreamAnswer> {
    const { protocol } = new URL(url);
    const secure = protocol === "https:";
    const agent = secure ? this.#agents["https:"] : this.#agents["http:"];
    const length = body === undefined ? {} : { "content-length": String(body.size) };
    const options = { method, headers: { ...headers, ...length }, agent, ...(signal && { signal }) };
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(url, options);
      request.setTimeout(SILENCE_MS, () => {
        request.destroy(new TransportFailure(`nothing moved for ${SILENCE_MS / 1000} seconds`, true));
      });
      request.on("error", reject);
      request.on("socket", (socket) => this.#memory.follow(socket));
      request.on("response", (answer) => resolve(answerHead(answer, this.#memory, signal)));
      if (body === undefined) return void request.end();
      body.send(request).catch((error: unknown) => {
        request.destroy();
        reject(error);
      });
    });
  }
}

function answerHead(
  body: IncomingMessage,
  memory: SocketMemory,
  signal: AbortSignal | undefined,
): StreamAnswer {
  const { statusCode: status = 0, statusMessage: statusText = "" } = body;
  const get = (name: string): string | null => {
    const value = body.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  };
  const described = get("content-length");
  const each: StreamAnswer["each"] = (take) =>
    pipeline(body, sinkOf(take)).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw error;
    });
  const returned = (piece: Buffer): void => {
    memory.saw(piece);
    giveBack(piece);
  };
  const intoFile = async (range: FileRange): Promise<void> => {
    if (described !== null && Number(described) !== range.length) throw anotherLength();
    await written(range, each, returned);
  };
  return { status, statusText, headers: { get }, body, each, giveBack: returned, intoFile };
}

/**
 * Writes each piece before the next one is taken: what came before a connection is cut need not come again, and a thread
 * that wrote it would cost as much as the writing.
 */
async function written(
  { file, start, length, onWritten }: FileRange,
  each: StreamAnswer["each"],
  giveBack: StreamAnswer["giveBack"],
): Promise<void> {
  let received = 0;
  let before: Buffer | undefined;
  await each((bytes) => {
    if (before !== undefined) giveBack(before);
    before = undefined;
    if (received + bytes.length > length) throw anotherLength();
    writeWhole(file, bytes, start + received);
    received += bytes.length;
    onWritten(bytes);
    before = bytes;
  });
  if (before !== undefined) giveBack(before);
  if (received !== length) throw anotherLength();
}

/** A stream that passes each piece on. */
function sinkOf(take: (piece: Buffer) => void | Promise<void>): Writable {
  return new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      try {
        const waits = take(bytes);
        if (waits === undefined) done();
        else waits.then(() => done(), done);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

/** Writes bytes whole: a disk may take less than it was given. */
function writeWhole(file: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; ) {
    written += writeSync(file, bytes, written, bytes.length - written, position + written);
  }
}

function anotherLength(): Error {
  return Object.assign(new Error("the content ended early"), { code: "ECONNRESET" });
}
