/** The way that contents of objects take: to the data server, or past it to the object store with pre-signed URLs. */

import { text } from "node:stream/consumers";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { type ApiAnswer, answerOf } from "@svc-authorizer/commands/rest-client/attempt.ts";
import type { RestRequest } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import { asksForAnotherTry, RetriedAnswer } from "@svc-authorizer/commands/rest-client/retries.ts";
import { TransportFailure } from "@svc-authorizer/commands/rest-client/transport-failure.ts";
import { type ApiClient, apiFailure } from "../../api/api-client.ts";
import { HttpExchange, type StreamAnswer, type StreamBody, type StreamRequest } from "./http-exchange.ts";

/** Longest text of a refusal that is read, in bytes. */
const LONGEST_REFUSAL = 1024 * 1024;

/** Redirections that are followed. */
const MOST_REDIRECTIONS = 3;

/** A request for contents. */
export interface ContentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: StreamBody;
  readonly signal?: AbortSignal | undefined;
  /** The `Range` of the next try. */
  readonly range?: () => string;
}

/** Moves contents, with the tries of the settings. */
export class ContentLink {
  readonly api: ApiClient;
  /** False where a large content that moves in one piece is taken without comparing its checksum. */
  readonly comparesAll: boolean;
  readonly #exchange: HttpExchange;

  /**
   * @param sockets connections to one server, at most
   * @param comparesAll compares the checksum of every content; else not that of a large one that moves in one piece
   */
  constructor(api: ApiClient, sockets: number, comparesAll = true) {
    this.api = api;
    this.comparesAll = comparesAll;
    this.#exchange = new HttpExchange(sockets);
  }

  /**
   * Asks the data server, and gives the answer to `take`. A redirection is followed without the credentials.
   * @param take reads the body; a failure of the network within it is tried again too
   * @throws ApiFailure for a status of 400 or more, GaveUp when no try succeeded
   */
  askServer<T>(
    call: RestRequest,
    request: ContentRequest,
    take: (answer: StreamAnswer) => Promise<T>,
  ): Promise<T> {
    const { method } = call;
    const url = this.api.urlOf(call);
    const headers = { ...this.api.headers, ...request.headers };
    return this.#ask({ ...request, method: method === "POST" ? "POST" : "GET", url, headers }, take);
  }

  /** Asks an object store with a pre-signed URL. Throws as {@link askServer}. */
  askStore<T>(
    method: "GET" | "PUT",
    url: string,
    request: ContentRequest,
    take: (answer: StreamAnswer) => Promise<T>,
  ): Promise<T> {
    return this.#ask({ ...request, method, url }, take);
  }

  /** Closes the connections. */
  close(): void {
    this.#exchange.close();
  }

  #ask<T>(
    request: StreamRequest & Pick<ContentRequest, "range">,
    take: (answer: StreamAnswer) => Promise<T>,
  ): Promise<T> {
    const { method, url, signal, range } = request;
    // What stands behind the question mark of a pre-signed URL is as good as a password.
    const shown = url.includes("X-Amz-Signature") || url.includes("sig=") ? (url.split("?")[0] ?? "") : url;
    const tryOnce = async (): Promise<T> => {
      const headers = { ...request.headers, ...(range !== undefined && { range: range() }) };
      const answer = await this.#follow({ ...request, headers });
      if (answer.status >= 400) throw await this.#refusal(answer);
      try {
        return await take(answer);
      } catch (error) {
        signal?.throwIfAborted();
        throw cutOff(error);
      } finally {
        if (!answer.body.readableEnded) answer.body.destroy();
      }
    };
    return this.api.tries({ method, url: shown }, tryOnce, signal);
  }

  async #follow(request: StreamRequest, left = MOST_REDIRECTIONS): Promise<StreamAnswer> {
    const answer = await this.#exchange.send(request);
    const location = answer.headers.get("location");
    if (answer.status < 300 || answer.status >= 400 || location === null) return answer;
    answer.body.resume();
    if (left === 0) throw new TransportFailure("redirect count exceeded", false);
    const { authorization: _, ...headers } = request.headers ?? {};
    const range = headers["range"] === undefined ? {} : { range: headers["range"] };
    const url = new URL(location, request.url).href;
    return this.#follow({ ...request, url, headers: range }, left - 1);
  }

  async #refusal(answer: StreamAnswer): Promise<Error> {
    const whole: ApiAnswer = answerOf(answer, await boundedText(answer));
    if (asksForAnotherTry(whole.status, this.api.settings.retries)) return new RetriedAnswer(whole);
    const failure = apiFailure(whole);
    return failure.message === ""
      ? new ApiFailure(whole.status, whole.statusLine, storeText(whole))
      : failure;
  }
}

async function boundedText({ body }: StreamAnswer): Promise<string> {
  let length = 0;
  body.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > LONGEST_REFUSAL) body.destroy();
  });
  return text(body).catch(() => "");
}

/** The message of an object store, which answers in XML. */
function storeText({ text: body }: ApiAnswer): string {
  return /<Message>([^<]*)<\/Message>/.exec(body)?.[1] ?? "";
}

/** A body that ended early is worth another try; errors of files are not. */
function cutOff(error: unknown): unknown {
  const { code = "", message } = error as NodeJS.ErrnoException;
  const early = ["ECONNRESET", "ERR_STREAM_PREMATURE_CLOSE", "HPE_INVALID_CHUNK_SIZE", "ETIMEDOUT", "EPIPE"];
  return early.includes(code) || message === "aborted"
    ? new TransportFailure("the connection ended in the middle of the content", true, error)
    : error;
}
