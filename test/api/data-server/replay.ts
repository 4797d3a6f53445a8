/** Sends a recorded conversation to a service and compares what comes back with what is recorded. */

import { Agent, request as send } from "node:http";

/** One recorded exchange. */
export interface Recorded {
  readonly operation: string | null;
  readonly method: string;
  readonly url: string;
  readonly request_body?: Record<string, unknown>;
  readonly status: number;
  readonly content_type?: string;
  readonly response_body?: unknown;
}

/** The answer that was received. */
interface Received {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Generated values that differ from run to run. */
const TIMES = new Set(["creation_date"]);
const FREE_TEXTS = new Set(["message", "version"]);
/** Field that only our answer to an operation has. A data server ignores additional fields (spec/authorization-api §1). */
const ADDITIONAL = new Map([["getVersion", "policy_set"]]);
const MAX_TRIES = 2000;
/** Index at which the random part of a generated key begins. */
const RANDOM_AT = "AKIAJ".length;

/** Replays one conversation after another exchange. */
export class Replay {
  readonly #url: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true });
  /** Recorded text → the one this run was given. */
  readonly #given = new Map<string, string>();
  /** User → recorded keys that were generated, in the order of creation. */
  readonly #keys = new Map<string, string[]>();

  /** User → all recorded keys that are generated. */
  readonly #expected = new Map<string, string[]>();

  constructor(url: string, token: string, conversation: readonly Recorded[]) {
    this.#url = url;
    this.#token = token;
    for (const { operation, url: target, status, response_body } of conversation) {
      if (!isGenerated({ operation, url: target }) || status !== 201) continue;
      const { user_name = "", access_key_id = "" } = response_body as Record<string, string>;
      this.#expected.set(user_name, [...(this.#expected.get(user_name) ?? []), access_key_id]);
    }
  }

  /** Sends one exchange; every way in which the answer differs. */
  async differences(recorded: Recorded): Promise<readonly string[]> {
    let received = await this.#send(recorded);
    if (isGenerated(recorded) && received.status === 201) received = await this.#inOrder(recorded, received);
    const found: string[] = [];
    if (received.status !== recorded.status) {
      found.push(`status ${received.status} instead of ${recorded.status}: ${received.text.slice(0, 300)}`);
      return found;
    }
    if (received.contentType !== recorded.content_type) found.push(`content type ${received.contentType}`);
    if (recorded.content_type === undefined) {
      if (received.text !== "") found.push(`a body: ${received.text}`);
      return found;
    }
    const body = JSON.parse(received.text);
    const additional = ADDITIONAL.get(recorded.operation ?? "");
    if (additional !== undefined) {
      if (body[additional] === undefined) found.push(`no ${additional}`);
      delete body[additional];
    }
    this.#compare(recorded.response_body, body, "", found);
    return found;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A generated key must sort among the user's as it did when recorded, for the pages that are read later. */
  async #inOrder(recorded: Recorded, first: Received): Promise<Received> {
    const { access_key_id, secret_access_key, user_name } = recorded.response_body as Record<string, string>;
    const earlier = this.#keys.get(user_name as string) ?? [];
    const later = this.#expected.get(user_name as string)?.slice(earlier.length + 1) ?? [];
    let received = first;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const made = JSON.parse(received.text) as Record<string, string>;
      const fits =
        made["access_key_id"]?.[RANDOM_AT] === access_key_id?.[RANDOM_AT] &&
        earlier.every((key) => {
          const before = (this.#given.get(key) as string) < (made["access_key_id"] as string);
          return key < (access_key_id as string) === before;
        }) &&
        // Room for those that follow: beside a key at the edge of its letter, thousands of tries would not fit.
        later.every((key) => isApart(made["access_key_id"] ?? "", access_key_id as string, key));
      if (fits) {
        this.#given.set(access_key_id as string, made["access_key_id"] as string);
        this.#given.set(secret_access_key as string, made["secret_access_key"] as string);
        this.#keys.set(user_name as string, [...earlier, access_key_id as string]);
        return received;
      }
      const path = recorded.url.split("?")[0] as string;
      await this.#send({
        operation: null,
        method: "DELETE",
        url: `${path}/${made["access_key_id"]}`,
        status: 204,
      });
      received = await this.#send(recorded);
    }
    throw new Error("no generated key sorts as the recorded one");
  }

  #send({ method, url, request_body }: Recorded): Promise<Received> {
    const { hostname, port } = new URL(this.#url);
    const body = request_body === undefined ? undefined : JSON.stringify(request_body);
    return new Promise((resolve, reject) => {
      const request = send(
        {
          hostname,
          port,
          method,
          // As it is: no client may tidy up a recorded target.
          path: this.#substituted(url),
          agent: this.#agent,
          headers: {
            authorization: `Bearer ${this.#token}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
        },
        (response) => {
          let text = "";
          response.setEncoding("utf8");
          response.on("data", (piece: string) => {
            text += piece;
          });
          response.on("end", () =>
            resolve({
              status: response.statusCode as number,
              contentType: response.headers["content-type"],
              text,
            }),
          );
        },
      );
      request.on("error", reject);
      request.end(body);
    });
  }

  #substituted(text: string): string {
    let result = text;
    for (const [recorded, given] of this.#given) result = result.replaceAll(recorded, given);
    return result;
  }

  #compare(recorded: unknown, received: unknown, at: string, found: string[]): void {
    if ((recorded ?? null) === null && (received ?? null) === null) return;
    if (Array.isArray(recorded) && Array.isArray(received)) {
      if (recorded.length !== received.length)
        found.push(`${at}: ${received.length} items instead of ${recorded.length}`);
      for (const [index, item] of recorded.entries()) {
        this.#compare(item, received[index], `${at}/${index}`, found);
      }
      return;
    }
    if (isObject(recorded) && isObject(received)) {
      for (const name of new Set([...Object.keys(recorded), ...Object.keys(received)])) {
        this.#compareField(name, recorded[name], received[name], `${at}/${name}`, found);
      }
      return;
    }
    const expected = typeof recorded === "string" ? this.#substituted(recorded) : recorded;
    if (expected !== received)
      found.push(`${at}: ${JSON.stringify(received)} instead of ${JSON.stringify(expected)}`);
  }

  #compareField(name: string, recorded: unknown, received: unknown, at: string, found: string[]): void {
    if (TIMES.has(name)) {
      if (!Number.isSafeInteger(received)) found.push(`${at}: ${JSON.stringify(received)} is no time`);
    } else if (FREE_TEXTS.has(name)) {
      if (typeof received !== "string" || received === "") found.push(`${at}: no text`);
    } else this.#compare(recorded, received, at, found);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** True if two characters tell a key from a later one, and order the two as they were recorded. */
function isApart(made: string, recorded: string, later: string): boolean {
  const [own, other] = [made, later].map((key) => key.slice(0, RANDOM_AT + 2)) as [string, string];
  return own !== other && own < other === recorded < later;
}

function isGenerated({ operation, url }: Pick<Recorded, "operation" | "url">): boolean {
  return operation === "createCredentials" && !url.includes("access_key=");
}
