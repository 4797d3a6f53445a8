/** The REST client of both programs: builds requests, sends them with retries, reads the answers. */

import { UsageFailure } from "../failure.ts";
import type { ApiAnswer } from "./attempt.ts";
import type { ApiRequest } from "./http-request.ts";
import { type FailedAttempt, type RetrySettings, sendWithRetries } from "./retries.ts";

/** The address of an API, and settings of calls. */
interface RestOptions {
  /** URL that paths are appended to, without a slash at its end. */
  readonly base: string;
  /** Sent with each request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly retries: RetrySettings;
  /** Time for one try, in milliseconds. */
  readonly timeoutMs?: number;
  /** "error": a redirection is a failure, because it would take the headers to another server. Default "follow". */
  readonly redirect?: "follow" | "error";
  /** Encodes one segment of a path. Default: percent-encoding; empty segments and dots are refused. */
  readonly encodeSegment?: (segment: string) => string;
}

/** One request. */
export interface RestRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "HEAD" | "PATCH";
  /** Segments of the path, not encoded. */
  readonly path: readonly string[];
  /** Absent values are not sent; empty ones are, since a filter that is left out selects more. A list is one parameter for each value. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent beside the headers of the client. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A value of a query parameter. */
export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** A text that selects nothing where it is empty: it is not sent then. */
export function unlessEmpty(text: string): string | undefined {
  return text === "" ? undefined : text;
}

/** Calls one API. */
export class RestClient {
  readonly #options: RestOptions;

  constructor(options: RestOptions) {
    this.#options = options;
  }

  /** Absolute URL of a request. */
  urlOf({ path, query = {} }: Pick<RestRequest, "path" | "query">): string {
    const { base, encodeSegment: encode = encodeSegment } = this.#options;
    const sent = Object.entries(query).flatMap(([name, value]): [string, string][] =>
      (Array.isArray(value) ? value : [value])
        .filter((one) => one !== undefined)
        .map((one) => [name, String(one)]),
    );
    const search = sent.length > 0 ? `?${new URLSearchParams(sent)}` : "";
    return `${base}/${path.map(encode).join("/")}${search}`;
  }

  /**
   * The answer to a request, whatever its status, after retries where they can help.
   * @throws RetriesExhausted when there was no answer, or every try was answered with a status that asks for another
   */
  ask(request: RestRequest, onFailedTry: (failed: FailedAttempt) => void = () => {}): Promise<ApiAnswer> {
    return sendWithRetries(this.#sent(request), this.#options.retries, onFailedTry);
  }

  #sent(request: RestRequest): ApiRequest {
    const { method, body } = request;
    const { headers, timeoutMs, redirect } = this.#options;
    return {
      method,
      url: this.urlOf(request),
      headers: {
        accept: "application/json",
        ...headers,
        ...request.headers,
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(redirect !== undefined && { redirect }),
    };
  }
}

/** Percent-encodes a segment. The URL parser would resolve dots, even encoded ones, as steps through the path. */
function encodeSegment(segment: string): string {
  if (segment === "" || segment === "." || segment === "..") {
    throw new UsageFailure(`invalid name ${JSON.stringify(segment)}: nothing has such a name`);
  }
  return encodeURIComponent(segment);
}
