/**
 * Keeps answers until the directory changes. The watch says when: an answer is used only while the watch speaks, and
 * kept only if the watch names the very entry that it was made from: a number alone may mean two states.
 */

import type { BatchAnswer } from "./batches.ts";
import { bodyText } from "./body-text.ts";
import type { ClientError } from "./client-error.ts";
import { ageOf, momentAgo, NEVER } from "./moment.ts";
import type { Evaluation } from "./questions.ts";
import { pause } from "./retry.ts";
import type { Transport } from "./transport.ts";
import { type Change, type WatchEvent, watchRevisions } from "./watch.ts";

/** The bounds of what is kept. */
export interface CacheOptions {
  /** Most answers; the oldest go first. Default 10,000. */
  readonly entries?: number;
  /** Milliseconds without a word from the watch after which nothing kept is used; default 10,000. */
  readonly maxStaleness?: number;
  /**
   * Hears why nothing is kept: the watch broke, or the service refuses it, as for a token without scope `read`. The cache
   * goes on trying, and every question is asked meanwhile. Without it, a refusal is a warning on the console.
   */
  readonly onError?: (error: ClientError) => void;
}

/** A watch that was refused is tried again after this time: the token may be another one by then. */
const REFUSED_WAIT_MS = 30_000;
const DEFAULT_ENTRIES = 10_000;
const DEFAULT_MAX_STALENESS_MS = 10_000;

/** The answers of one client. */
export class AnswerCache {
  readonly #entries: number;
  readonly #maxStaleness: number;
  readonly #onError: CacheOptions["onError"];
  readonly #stop = new AbortController();
  /** By user, then by question: a change of a user takes his answers only. */
  readonly #users: Map<string, Map<string, boolean>> = new Map();
  #size = 0;
  /** The newest entry that the watch told of, as `N.LOG.ENTRY`; undefined while it has named none. */
  #position: string | undefined;
  /** The moment of its last word. */
  #heardAt = NEVER;

  constructor(transport: Transport, options: CacheOptions) {
    this.#entries = options.entries ?? DEFAULT_ENTRIES;
    this.#maxStaleness = options.maxStaleness ?? DEFAULT_MAX_STALENESS_MS;
    this.#onError = options.onError;
    void this.#follow(transport, this.#stop.signal);
  }

  /** Returns the kept answer, or asks and keeps what comes. */
  async answer(question: Evaluation, ask: () => Promise<BatchAnswer>): Promise<boolean> {
    const user = question.subject.id;
    const key = bodyText([question.action.name, question.resource.id, question.context]);
    const kept = this.#isCurrent() ? this.#users.get(user)?.get(key) : undefined;
    if (kept !== undefined) return kept;
    const { allowed, position } = await ask();
    if (this.#isCurrent() && position === this.#position) this.#keep(user, key, allowed);
    return allowed;
  }

  /** Ends the watch; nothing is kept from then on. */
  close(): void {
    this.#stop.abort();
    this.#clear();
  }

  #isCurrent(): boolean {
    return this.#position !== undefined && ageOf(this.#heardAt) < this.#maxStaleness;
  }

  async #follow(transport: Transport, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        for await (const event of watchRevisions(transport, { signal })) this.#hear(event);
      } catch (error) {
        this.#clear();
        this.#refused(error as ClientError);
      }
      await pause(REFUSED_WAIT_MS, signal).catch(() => undefined);
    }
  }

  /** Not silently: somebody would go on without the cache that he wanted, and wonder about the load. */
  #refused(error: ClientError): void {
    const text = `svc-authorizer: no answers are kept, because the service refuses the watch: ${error.message}`;
    if (this.#onError !== undefined) this.#onError(error);
    // biome-ignore lint/suspicious/noConsole: a library without a logger has no other way to be heard.
    else console.warn(text);
  }

  #hear(event: WatchEvent): void {
    if (event.type === "disconnected") {
      this.#clear();
      this.#onError?.(event.error);
      return;
    }
    if (event.type === "change") this.#evict(event.change);
    // A revision without its change: what happened between is not known.
    else if (event.type === "reset" || event.position !== (this.#position ?? event.position)) this.#clear();
    this.#position = event.position;
    this.#heardAt = momentAgo(0);
  }

  /** A change of groups, policies or resources may concern anybody. */
  #evict({ all, users = [], groups = [], policies = [], resources = [] }: Change): void {
    if (all === true || groups.length + policies.length + resources.length > 0) this.#drop();
    for (const user of users) {
      this.#size -= this.#users.get(user)?.size ?? 0;
      this.#users.delete(user);
    }
  }

  #keep(user: string, key: string, allowed: boolean): void {
    // Whole users go, the oldest first: no answer of a user outlives a younger one of his.
    for (const [oldest, answers] of this.#users) {
      if (this.#size < this.#entries) break;
      this.#size -= answers.size;
      this.#users.delete(oldest);
    }
    const answers = this.#users.get(user) ?? new Map<string, boolean>();
    this.#users.set(user, answers);
    if (!answers.has(key)) this.#size++;
    answers.set(key, allowed);
  }

  #drop(): void {
    this.#users.clear();
    this.#size = 0;
  }

  #clear(): void {
    this.#drop();
    this.#position = undefined;
  }
}
