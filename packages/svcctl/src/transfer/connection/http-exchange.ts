/** One HTTP exchange whose bodies are streams: contents of objects never are in memory as a whole. */

import { createWriteStream } from "node:fs";
import type { Agent, AgentOptions, ClientRequest, ClientRequestArgs, IncomingMessage } from "node:http";
import type { Agent as SecureAgent } from "node:https";
import { pipeline } from "node:stream/promises";
import type { AnswerHead } from "@svc-authorizer/commands/rest-client/http-request.ts";
import { http, https } from "@svc-authorizer/commands/rest-client/node-http.ts";
import { TransportFailure, transportFailure } from "@svc-authorizer/commands/rest-client/transport-failure.ts";
import { BlockPool, DirectConnection, type FileRange } from "./direct-connection.ts";

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
  /** The answer goes into a file: see {@link StreamAnswer.intoFile}. The request gets a connection of its own. */
  readonly direct?: boolean | undefined;
}

/** An answer whose body is not read yet. Whoever takes it reads the body to its end, or destroys it. */
export interface StreamAnswer extends AnswerHead {
  readonly body: IncomingMessage;
  /**
   * Writes the body into a file, which must have exactly the length of the range. Without `direct` in the request,
   * and behind a proxy, it goes through a stream.
   * @throws Error with code ECONNRESET when the body ends early
   */
  readonly intoFile: (range: FileRange) => Promise<void>;
}

/** Keeps connections open between exchanges. */
export class HttpExchange {
  readonly #behindProxy: boolean;
  readonly #pool = new BlockPool();
  readonly #agents: { readonly "http:": Agent; readonly "https:": SecureAgent };

  /** @param sockets connections to one server, at most */
  constructor(sockets: number) {
    // The proxy that Node was told to use (NODE_USE_ENV_PROXY=1), as for every other call.
    const { proxyEnv } = (http.globalAgent as { readonly options?: AgentOptions }).options ?? {};
    this.#behindProxy = proxyEnv !== undefined;
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

  #exchange({ method, url, headers = {}, body, signal, direct }: StreamRequest): Promise<StreamAnswer> {
    const { protocol } = new URL(url);
    const secure = protocol === "https:";
    const agent = secure ? this.#agents["https:"] : this.#agents["http:"];
    const length = body === undefined ? {} : { "content-length": String(body.size) };
    const connection = direct === true && !this.#behindProxy ? new DirectConnection(this.#pool) : undefined;
    const way =
      connection === undefined
        ? { agent }
        : { createConnection: (to: ClientRequestArgs) => connection.open(to, secure) };
    const options = { method, headers: { ...headers, ...length }, ...way, ...(signal && { signal }) };
    return new Promise((resolve, reject) => {
      const request = (secure ? https : http).request(url, options);
      request.setTimeout(SILENCE_MS, () => {
        request.destroy(new TransportFailure(`nothing moved for ${SILENCE_MS / 1000} seconds`, true));
      });
      request.on("error", reject);
      request.on("response", (answer) => resolve(answerHead(answer, connection)));
      if (body === undefined) return void request.end();
      body.send(request).catch((error: unknown) => {
        request.destroy();
        reject(error);
      });
    });
  }
}

function answerHead(body: IncomingMessage, connection: DirectConnection | undefined): StreamAnswer {
  const { statusCode: status = 0, statusMessage: statusText = "" } = body;
  const get = (name: string): string | null => {
    const value = body.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(", ") : (value ?? null);
  };
  const intoFile = async (range: FileRange): Promise<void> => {
    const described = get("content-length");
    if (connection === undefined || described === null) return streamInto(body, range);
    if (Number(described) !== range.length) throw endedEarly();
    await connection.receive(body, range);
  };
  return { status, statusText, headers: { get }, body, intoFile };
}

/** Writes a body whose length no header tells. */
async function streamInto(body: IncomingMessage, range: FileRange): Promise<void> {
  const { file, start, length, onReceived, onWritten } = range;
  let received = 0;
  const into = createWriteStream("", { fd: file, start, autoClose: false });
  body.on("data", (chunk: Buffer) => {
    received += chunk.length;
    onReceived(chunk.length);
  });
  await pipeline(body, into);
  if (received !== length) throw endedEarly();
  onWritten(start + length);
}

function endedEarly(): Error {
  return Object.assign(new Error("the content ended early"), { code: "ECONNRESET" });
}
