/**
 * A client of an authorization API that is read whole (authorization-api.md §1, authorization-api.md §5 to
 * authorization-api.md §7).
 */

import { setTimeout as delay } from "node:timers/promises";
import { AuthorizerError } from "../../../errors.ts";

/** Where and as whom to read. */
export interface RemoteOptions {
  /** Base address with the path under which operations stand: `http://host:8001/api/v1`. */
  readonly base: string;
  readonly token: string;
}

/** Parts of a path; each is encoded as the data server's client does. */
export type RemotePath = readonly string[];

const PAGE = 1_000;
const ATTEMPTS = 4;
const TIMEOUT_MS = 60_000;
const BACKOFF_MS = 250;
const MAX_WAIT_MS = 10_000;

interface ListAnswer {
  readonly pagination?: { readonly next_offset?: unknown };
  readonly results?: unknown;
}

function failure(message: string, cause?: unknown): AuthorizerError {
  return new AuthorizerError("unavailable", message, { cause });
}

/** Reads lists and single objects. */
export class RemoteApi {
  readonly #base: string;
  readonly #token: string;

  /** Throws AuthorizerError "invalid_request" for a base that is no http address. */
  constructor({ base, token }: RemoteOptions) {
    const url = URL.canParse(base) ? new URL(base) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "") {
      throw new AuthorizerError(
        "invalid_request",
        "--from: expected an address such as http://host:8001/api/v1",
      );
    }
    this.#base = url.href.replace(/[/]+$/, "");
    this.#token = token;
  }

  /** One object; undefined for 404. Throws AuthorizerError "unavailable" saying what the API answered. */
  async get(path: RemotePath, query: Readonly<Record<string, string>> = {}): Promise<object | undefined> {
    const { status, body } = await this.#read(path, query);
    if (status === 404) return undefined;
    if (status !== 200) throw this.#unexpected(path, status);
    if (typeof body !== "object" || body === null) throw this.#unreadable(path);
    return body;
  }

  /**
   * Every item of a list, page by page of 1,000; undefined where the API does not have the operation (404 and 501).
   */
  async list(path: RemotePath, query: Readonly<Record<string, string>> = {}): Promise<object[] | undefined> {
    const items: object[] = [];
    let after = "";
    for (;;) {
      const { status, body } = await this.#read(path, { after, amount: String(PAGE), prefix: "", ...query });
      if (after === "" && (status === 404 || status === 501)) return undefined;
      if (status !== 200) throw this.#unexpected(path, status);
      const { results, pagination } = (body ?? {}) as ListAnswer;
      const next = pagination?.next_offset;
      if ((results !== null && !Array.isArray(results)) || typeof next !== "string")
        throw this.#unreadable(path);
      for (const item of (results ?? []) as unknown[]) {
        if (typeof item !== "object" || item === null) throw this.#unreadable(path);
        items.push(item);
      }
      if (next === "") return items;
      if (next === after) throw failure(`${this.#name(path)}: the API gives the same page again and again`);
      after = next;
    }
  }

  #name(path: RemotePath): string {
    return `${this.#base}/${path.join("/")}`;
  }

  #unexpected(path: RemotePath, status: number): AuthorizerError {
    const why =
      status === 401 || status === 403
        ? "the token is not accepted"
        : "is this the base of an authorization API (it often ends in /api/v1)?";
    return failure(`${this.#name(path)} answered ${status}: ${why}`);
  }

  #unreadable(path: RemotePath): AuthorizerError {
    return failure(`${this.#name(path)}: the answer is not what an authorization API sends`);
  }

  async #read(path: RemotePath, query: Readonly<Record<string, string>>) {
    // Encoded twice: the server decodes path parameters once more than its framework does.
    const encoded = path.map((part) => encodeURIComponent(encodeURIComponent(part))).join("/");
    const search = new URLSearchParams(query).toString();
    const url = `${this.#base}/${encoded}${search === "" ? "" : `?${search}`}`;
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(url, {
          headers: { authorization: `Bearer ${this.#token}`, accept: "application/json" },
          // A redirection would hand the token to somebody else.
          redirect: "error",
          signal: AbortSignal.timeout(TIMEOUT_MS),
        });
        const text = await response.text();
        const { status } = response;
        if ((status !== 503 && status !== 429 && status !== 502) || attempt === ATTEMPTS) {
          return { status, body: status === 200 ? this.#parse(path, text) : undefined };
        }
        await delay(waitOf(response.headers.get("retry-after"), attempt));
      } catch (cause) {
        if (cause instanceof AuthorizerError) throw cause;
        if (attempt === ATTEMPTS)
          throw failure(`${this.#name(path)} cannot be reached: ${reasonOf(cause)}`, cause);
        await delay(waitOf(null, attempt));
      }
    }
  }

  #parse(path: RemotePath, text: string): unknown {
    try {
      return JSON.parse(text);
    } catch {
      throw this.#unreadable(path);
    }
  }
}

function waitOf(retryAfter: string | null, attempt: number): number {
  const seconds = Number(retryAfter);
  return Math.min(MAX_WAIT_MS, seconds > 0 ? seconds * 1_000 : BACKOFF_MS * 2 ** attempt);
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: unknown } };
  return typeof cause?.code === "string" ? cause.code : message;
}
