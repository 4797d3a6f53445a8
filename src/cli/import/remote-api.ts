/**
 * A client of a data-server API that is read whole (spec/authorization-api §1, spec/authorization-api §5 to
 * spec/authorization-api §7).
 */

import type { ApiAnswer } from "@svc-authorizer/commands/rest-client/attempt.ts";
import { RestClient, unlessEmpty } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import { RetriesExhausted, type RetrySettings } from "@svc-authorizer/commands/rest-client/retries.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** Address of the API, and the token that it is read with. */
interface RemoteOptions {
  /** Base address with the path under which operations stand: `http://host:8001/api/v1`. */
  readonly base: string;
  readonly token: string;
}

/** Parts of a path; each is encoded as the data server's client does. */
type RemotePath = readonly string[];

type RemoteQuery = Readonly<Record<string, string | undefined>>;

const PAGE = 1_000;
const TIMEOUT_MS = 60_000;
const RETRIES: RetrySettings = {
  enabled: true,
  maxAttempts: 3,
  minWaitMs: 500,
  maxWaitMs: 10_000,
  statuses: new Set([429, 502, 503]),
};

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
  readonly #rest: RestClient;

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
    this.#rest = new RestClient({
      base: this.#base,
      headers: { authorization: `Bearer ${token}` },
      retries: RETRIES,
      timeoutMs: TIMEOUT_MS,
      // A redirection would give the token to another server.
      redirect: "error",
      // Encoded twice: the server decodes path parameters once more than its framework does.
      encodeSegment: (part) => encodeURIComponent(encodeURIComponent(part)),
    });
  }

  /** One object; undefined for 404. Throws AuthorizerError "unavailable" saying what the API answered. */
  async get(path: RemotePath): Promise<object | undefined> {
    const { status, body } = await this.#read(path, {});
    if (status === 404) return undefined;
    if (status !== 200) throw this.#unexpected(path, status);
    if (typeof body !== "object" || body === null) throw this.#unreadable(path);
    return body;
  }

  /** Every item of a list; undefined where the API does not have the operation. */
  async list(path: RemotePath, query: Readonly<Record<string, string>> = {}): Promise<object[] | undefined> {
    const items: object[] = [];
    return (await this.each(path, (item) => items.push(item), query)) ? items : undefined;
  }

  /**
   * Calls `take` with every item of a list, page by page of 1,000; false where the API does not have the operation (404 and
   * 501).
   */
  async each(
    path: RemotePath,
    take: (item: object) => void,
    query: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    let after = "";
    for (;;) {
      const { status, body } = await this.#read(path, {
        after: unlessEmpty(after),
        amount: String(PAGE),
        ...query,
      });
      if (after === "" && (status === 404 || status === 501)) return false;
      if (status !== 200) throw this.#unexpected(path, status);
      const { results, pagination } = (body ?? {}) as ListAnswer;
      const next = pagination?.next_offset;
      if ((results !== null && !Array.isArray(results)) || typeof next !== "string")
        throw this.#unreadable(path);
      for (const item of (results ?? []) as unknown[]) {
        if (typeof item !== "object" || item === null) throw this.#unreadable(path);
        take(item);
      }
      if (next === "") return true;
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
        : "is this the base of a data-server API (it often ends in /api/v1)?";
    return failure(`${this.#name(path)} answered ${status}: ${why}`);
  }

  #unreadable(path: RemotePath): AuthorizerError {
    return failure(`${this.#name(path)}: the answer is not what a data-server API sends`);
  }

  async #read(path: RemotePath, query: RemoteQuery) {
    const { status, json } = await this.#settled(path, query);
    if (status === 200 && json === undefined) throw this.#unreadable(path);
    return { status, body: status === 200 ? json : undefined };
  }

  async #settled(path: RemotePath, query: RemoteQuery): Promise<ApiAnswer> {
    try {
      return await this.#rest.ask({ method: "GET", path, query });
    } catch (error) {
      if (!(error instanceof RetriesExhausted)) throw error;
      if (error.answer !== undefined) return error.answer;
      throw failure(`${this.#name(path)} cannot be reached: ${error.reason}`, error);
    }
  }
}
