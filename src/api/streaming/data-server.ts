/** The data server behind the streaming listener: requests to it, and its answers. */

import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, Agent as TlsAgent } from "node:https";
import { boundedBody } from "../../bounded-body.ts";
import { RequestRefused } from "../../http/errors.ts";

/** An answer of the data server. */
export interface DataServerAnswer {
  readonly status: number;
  /** Name and value in turn, without those of the connection. */
  readonly headers: readonly string[];
  readonly type: string | undefined;
  readonly body: string;
}

/** A request to the data server. */
interface Outgoing {
  readonly method: string;
  /** Path and query, as on the wire. */
  readonly target: string;
  /** By lower-case name; the length of the body among them. */
  readonly headers: ReadonlyMap<string, string>;
}

/** A free connection is closed after this time: before the data server does it while a request is on its way. */
const FREE_MS = 4_000;
/** Largest answer that is passed on: a page of 1,000 repositories is a tenth of it. */
const MOST_ANSWER = 8 << 20;
const LEAST_STATUS = 200;
/** Headers that belong to a connection, or that this listener sets itself. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "keep-alive",
  "proxy-authenticate",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "x-content-type-options",
  "x-request-id",
]);

/** Sends requests to one data server. */
export class DataServer {
  readonly #url: URL;
  readonly #agent: Agent;
  readonly #idleMs: number;

  /**
   * @param url `authorizer.exchange.upstream`
   * @param idleMs milliseconds for which a connection may stand still
   */
  constructor(url: string, idleMs: number) {
    this.#url = new URL(url);
    const options = { keepAlive: true, timeout: FREE_MS };
    this.#agent = this.#url.protocol === "https:" ? new TlsAgent(options) : new Agent(options);
    this.#idleMs = idleMs;
  }

  /** Host and port. */
  get host(): string {
    return this.#url.host;
  }

  /** Begins a request. */
  send(outgoing: Outgoing): Sending {
    const { method, target: path, headers } = outgoing;
    const { protocol, hostname, port } = this.#url;
    const begin = protocol === "https:" ? httpsRequest : httpRequest;
    const request = begin({
      ...{ method, path, agent: this.#agent, setHost: false },
      host: hostname.replace(/^\[(.*)\]$/, "$1"),
      ...(port === "" ? {} : { port: Number(port) }),
      headers: [...headers].flat() as never,
    });
    request.setTimeout(this.#idleMs, () => request.destroy(new Error("the data server stands still")));
    return new Sending(request);
  }

  /** Sends a request with a whole body. */
  ask(outgoing: Outgoing, body: Buffer | undefined, signal?: AbortSignal): Promise<DataServerAnswer> {
    const sending = this.send(outgoing);
    const stop = (): void => sending.abort();
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
    sending.end(body);
    return sending.answer.finally(() => signal?.removeEventListener("abort", stop));
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy();
  }
}

/** A request under way. */
export class Sending {
  /** Rejects with status 502 where there is none. */
  readonly answer: Promise<DataServerAnswer>;
  readonly #request: ClientRequest;
  #isAnswered = false;
  #hasFailed = false;
  /** Whoever waits until more may be written. */
  #waiting: (() => void) | undefined;

  constructor(request: ClientRequest) {
    this.#request = request;
    this.answer = new Promise((resolve, reject) => {
      const fail = (): void => {
        this.#hasFailed = true;
        reject(new RequestRefused(502, "the data server does not answer", [], "unavailable"));
      };
      request.on("error", fail);
      request.on("response", (response) => {
        this.#isAnswered = true;
        wholeAnswer(response).then(resolve, () => {
          request.destroy();
          fail();
        });
      });
    });
    // It is looked at when the body is sent.
    this.answer.catch(() => undefined);
    const goOn = (): void => {
      const waiting = this.#waiting;
      this.#waiting = undefined;
      waiting?.();
    };
    for (const event of ["drain", "response", "error", "close"]) request.on(event, goOn);
  }

  /** True once the data server answers, or cannot be reached: nothing more needs to be written. */
  get isOver(): boolean {
    return this.#isAnswered || this.#hasFailed;
  }

  /**
   * Writes parts of the body; returns a promise where the data server takes no more for now.
   * @param written called once nobody reads the parts any more; not if the connection ends before
   */
  write(parts: readonly Buffer[], written: () => void): undefined | Promise<void> {
    if (this.isOver) return undefined;
    const request = this.#request;
    let hasRoom = true;
    const last = parts.length - 1;
    const done = (error?: Error | null): void => {
      if (error == null) written();
    };
    // All parts go in one call of the system.
    request.cork();
    for (const [at, part] of parts.entries()) hasRoom = request.write(part, at === last ? done : undefined);
    request.uncork();
    if (hasRoom || request.destroyed) return undefined;
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /** Writes the rest of the body. */
  end(bytes?: Buffer): void {
    if (!this.isOver) this.#request.end(bytes);
  }

  /** Cuts the request: a body whose length was told and did not come whole is not stored. */
  abort(): void {
    this.#request.destroy();
  }
}

async function wholeAnswer(response: IncomingMessage): Promise<DataServerAnswer> {
  // Node reads any three digits as a status, but writes none below 100; those of 1xx are no answers.
  if ((response.statusCode ?? 0) < LEAST_STATUS) throw new Error("this is no answer");
  const body = await boundedBody(response, MOST_ANSWER);
  if (!response.complete) throw new Error("the answer is cut off");
  const { rawHeaders, statusCode = 502, headers } = response;
  const named = new Set((headers.connection ?? "").toLowerCase().split(/\s*,\s*/));
  const kept = rawHeaders.filter((_text, index) => {
    const name = (rawHeaders[index & ~1] as string).toLowerCase();
    return !OF_CONNECTION.has(name) && !named.has(name);
  });
  return {
    status: statusCode,
    headers: kept,
    type: headers["content-type"],
    body: body.toString(),
  };
}
