/**
 * LISTEN on a connection of its own (journal.md §3). After each connect it sends itself a notification: where that is
 * not heard, a pooler in transaction mode stands between, and polling alone has to do.
 */

import { randomUUID } from "node:crypto";
import pg from "pg";

const UNHEARD_MS = 2_000;
const RECONNECT_MS = 500;

/** Hears of new entries, and connects again for as long as somebody watches. */
export class Listening {
  readonly #config: pg.ClientConfig;
  readonly #channel: string;
  readonly #warn: (message: string) => void;
  readonly #listeners = new Set<() => void>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #warned = false;

  constructor(config: pg.ClientConfig, channel: string, warn: (message: string) => void) {
    // It waits for as long as nothing happens.
    this.#config = { ...config, statement_timeout: false };
    this.#channel = channel;
    this.#warn = warn;
  }

  /** Calls `listener` for each notification and after each connect; returns what ends that. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    if (this.#client === undefined) void this.#connect();
    return () => {
      this.#listeners.delete(listener);
    };
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
      if (payload === own) clearTimeout(this.#timer);
      this.#tell();
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${this.#channel}`);
      this.#timer = setTimeout(() => this.#unheard(), UNHEARD_MS);
      await client.query("SELECT pg_notify($1, $2)", [this.#channel, own]);
      this.#tell();
    } catch {
      this.#again(client);
    }
  }

  #again(client: pg.Client): void {
    if (this.#client !== client || this.#closed) return;
    this.#client = undefined;
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

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
