/**
 * LISTEN on a connection of its own (spec/journal §3). After each connect a notification is sent to it over another
 * connection: where that is not heard, a pooler in transaction mode stands between, and polling alone has to do. (Sent
 * over its own, it would be heard at first, as the pooler still serves it with the connection that listens.)
 */

import { randomUUID } from "node:crypto";
import pg from "pg";

const UNHEARD_MS = 2_000;
const RECONNECT_MS = 500;

/** Sends a notification over another connection. */
type Notify = (channel: string, payload: string) => Promise<void>;

/** Hears of new entries, and connects again for as long as somebody watches. */
export class Listening {
  readonly #config: pg.ClientConfig;
  readonly #channel: string;
  readonly #notify: Notify;
  readonly #warn: (message: string) => void;
  readonly #listeners = new Set<(revision?: number) => void>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #warned = false;
  #isHeard = false;
  #isConnected = false;

  constructor(config: pg.ClientConfig, channel: string, notify: Notify, warn: (message: string) => void) {
    // It waits for as long as nothing happens.
    this.#config = { ...config, statement_timeout: false };
    this.#channel = channel;
    this.#notify = notify;
    this.#warn = warn;
  }

  /**
   * Calls `listener` for each notification, with the revision that it names, and without one after each connect and
   * when a connection broke; returns what ends that.
   */
  watch(listener: (revision?: number) => void): () => void {
    this.#listeners.add(listener);
    if (this.#client === undefined) void this.#connect();
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Tells those who watch that a connection to the database broke. */
  tellBroken(): void {
    if (!this.#closed) this.#tell();
  }

  /** True while notifications come through. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }

  async #connect(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client(this.#config);
    this.#client = client;
    const own = randomUUID();
    client.on("error", () => this.#again(client));
    client.on("end", () => this.#again(client));
    client.on("notification", ({ payload }) => {
      if (payload === own) {
        clearTimeout(this.#timer);
        this.#isHeard = true;
      } else if (payload !== undefined && /^\d+$/.test(payload)) this.#tell(Number(payload));
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
      this.#isConnected = true;
      this.#timer = setTimeout(() => this.#unheard(), UNHEARD_MS);
      await this.#notify(this.#channel, own);
      this.#tell();
    } catch {
      this.#again(client);
    }
  }

  #again(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
    this.#isHeard = false;
    if (this.#isConnected) this.#tell();
    this.#isConnected = false;
    clearTimeout(this.#timer);
    void client.end().catch(() => undefined);
    this.#timer = setTimeout(() => void this.#connect(), RECONNECT_MS);
  }

  #unheard(): void {
    if (this.#warned) return;
    this.#warned = true;
    this.#warn(
      "no notifications come through from PostgreSQL (is there a pooler in transaction mode?): this node polls",
    );
  }

  #tell(revision?: number): void {
    for (const listener of this.#listeners) listener(revision);
  }
}
