/** The use of users, keys, groups and statements, counted and kept (spec/decision-log §5.1). */

import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import type { Report } from "../decision-log/chain/chain.ts";
import { UsageCounts } from "./usage-counts.ts";
import { type NodeBegan, UsageDatabase } from "./usage-database.ts";
import type { UsageKind, UsageRow, Used } from "./usage-rows.ts";
import {
  ROWS_PER_READ,
  ROWS_PER_WRITE,
  type SharedUsage,
  turnOfOthers,
  UsageSharing,
} from "./usage-sharing.ts";

const MEMORY = ":memory:";
/** Use is forgotten after this time without another. */
const DAY_MS = 86_400_000;
const FORGOTTEN_MS = 2 * 366 * DAY_MS;

/** Options of {@link openUsage}. */
interface UsageOptions {
  /** File of the node; `:memory:` where nothing is kept. */
  readonly path: string;
  readonly node: string;
  /** Shortest time between two writings, in milliseconds. */
  readonly intervalMs: number;
  /** Absent where no other nodes exist, or another process of this node tells them. */
  readonly shared?: SharedUsage | undefined;
  readonly report: Report;
  readonly now?: () => number;
  /** Things from which on no new ones are counted; default 3,000,000. */
  readonly mostRows?: number;
}

/** Use, counted and asked. */
export interface OpenedUsage {
  readonly counts: UsageCounts;
  /** File of the node; undefined where nothing is kept. */
  readonly path: string | undefined;
  /** Writes what was counted so far. */
  flush(): Promise<void>;
  /** Sums over all nodes of things with these names: those of the newest thing of a name. */
  of(kind: "user" | "key" | "group", names: readonly string[]): Promise<ReadonlyMap<string, Used>>;
  /** Sums over all nodes of things with these names, as far as they are written: several rows for things of one name. */
  rowsOf(kind: "user" | "key" | "group", names: readonly string[]): readonly UsageRow[];
  /** Sums over all nodes of the statements of a policy by action, as far as they are written, in pages. */
  ofPolicy(name: string): Iterable<readonly UsageRow[]>;
  /** True if there is any written use of a kind. */
  has(kind: UsageKind): boolean;
  /** All sums, in pages. */
  all(): AsyncIterable<readonly UsageRow[]>;
  /** The nodes whose use is known. */
  nodes(): readonly NodeBegan[];
  /** Unix milliseconds since when all use is known; undefined where none is. */
  countedSince(): number | undefined;
  /** Returns sentences about the use that answers leave out at present. */
  doubts(): readonly string[];
  /** Writes, tells other nodes and hears of them, as it does by itself from time to time. */
  turn(): Promise<void>;
  /** Writes everything and closes the file. */
  close(): Promise<void>;
}

const KINDS: readonly UsageKind[] = ["user", "key", "group", "statement", "served"];

/** Opens the counts of this node. A file that cannot be used is reported, and use is then counted in memory. */
export function openUsage(options: UsageOptions): OpenedUsage {
  const { database, path } = openDatabase(options);
  return new Usage(options, database, path);
}

function openDatabase({ path, node, report, now = Date.now, mostRows }: UsageOptions): {
  readonly database: UsageDatabase;
  readonly path: string | undefined;
} {
  const opened = (file: string): UsageDatabase => {
    const database = new UsageDatabase(file, mostRows);
    try {
      database.begin({ node, at: now() });
      database.countAgain(node, now());
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  if (path === MEMORY) return { database: opened(MEMORY), path: undefined };
  try {
    return { database: opened(path), path };
  } catch (error) {
    report("last use cannot be kept and is counted in memory", { file: path, reason: messageOf(error) });
    return { database: opened(MEMORY), path: undefined };
  }
}

class Usage implements OpenedUsage {
  readonly counts: UsageCounts;
  readonly path: string | undefined;
  readonly #options: UsageOptions;
  readonly #database: UsageDatabase;
  readonly #sharing: UsageSharing | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #now: () => number;
  /** The next rows to be written; the rest is in `#taken`. */
  #waiting: readonly UsageRow[] = [];
  #taken: Iterator<UsageRow> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #turning: Promise<void> = Promise.resolve();
  #forgotAt = Number.NEGATIVE_INFINITY;
  #failed = false;
  /** The reason for which the newest counts are not written; undefined where they are. */
  #unwritten: string | undefined;

  constructor(options: UsageOptions, database: UsageDatabase, path: string | undefined) {
    const { intervalMs, node, shared, now = Date.now } = options;
    this.#options = options;
    this.#database = database;
    this.path = path;
    this.#now = now;
    this.counts = new UsageCounts(options.now);
    this.#sharing = shared && new UsageSharing(node, shared, database, now);
    this.#timer = setInterval(() => void this.turn(), intervalMs).unref();
    if (shared !== undefined) void this.turn();
  }

  flush(): Promise<void> {
    return this.#write();
  }

  async of(kind: "user" | "key" | "group", names: readonly string[]): Promise<ReadonlyMap<string, Used>> {
    await this.flush();
    const found = new Map<string, Used>();
    for (const { name, count, last } of this.#database.named(kind, names)) {
      // Several rows of a name are of things that existed one after the other, perhaps in one tick of the clock.
      if ((found.get(name)?.last ?? -1) <= last) found.set(name, { count, last });
    }
    return found;
  }

  rowsOf(kind: "user" | "key" | "group", names: readonly string[]): readonly UsageRow[] {
    return this.#database.named(kind, names);
  }

  *ofPolicy(name: string): Generator<readonly UsageRow[]> {
    for (let after: Pick<UsageRow, "part" | "action"> | undefined; ; ) {
      const rows = this.#database.ofPolicy(name, after, ROWS_PER_READ);
      if (rows.length > 0) yield rows;
      if (rows.length < ROWS_PER_READ) return;
      after = rows.at(-1);
    }
  }

  has(kind: UsageKind): boolean {
    return this.#database.has(kind);
  }

  async *all(): AsyncIterable<readonly UsageRow[]> {
    await this.flush();
    for (const kind of KINDS) {
      let after = "";
      for (;;) {
        const rows = this.#database.page(kind, after, ROWS_PER_READ);
        const isLast = rows.length < ROWS_PER_READ;
        // The rows of the last name may go on: they are read with the next page.
        const kept = isLast ? rows : withoutLastName(rows);
        if (kept.length > 0) yield kept;
        if (isLast) break;
        after = (kept.at(-1) as UsageRow).name;
        await turnOfOthers();
      }
    }
  }

  nodes(): readonly NodeBegan[] {
    return this.#database.nodes();
  }

  countedSince(): number | undefined {
    const nodes = this.nodes();
    if (nodes.length === 0) return undefined;
    const missed = nodes.map((one) => one.missed ?? 0);
    return Math.max(Math.min(...nodes.map(({ at }) => at)), ...missed);
  }

  doubts(): readonly string[] {
    const unwritten = this.#unwritten;
    return [
      ...(unwritten === undefined
        ? []
        : [`What was used last on this node cannot be written: ${unwritten}.`]),
      ...(this.#sharing?.doubts() ?? []),
    ];
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.turn();
    this.#database.close();
  }

  turn(): Promise<void> {
    this.#turning = this.#turning.then(() => this.#takeTurn());
    return this.#turning;
  }

  async #takeTurn(): Promise<void> {
    await this.#write();
    await this.#forget();
    if (this.#sharing === undefined) return;
    try {
      await this.#sharing.takeTurn();
      this.#failed = false;
    } catch (error) {
      if (!this.#failed) {
        this.#options.report("last use cannot be shared with other nodes", { reason: messageOf(error) });
      }
      this.#failed = true;
    }
  }

  /** Writes what was counted until now, after what is being written. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeTaken());
    return this.#writing;
  }

  async #writeTaken(): Promise<void> {
    try {
      // First what could not be written before.
      if (this.#taken !== undefined) await this.#writeRest(this.#taken);
      this.#taken = this.counts.taken();
      await this.#writeRest(this.#taken);
      this.#unwritten = undefined;
    } catch (error) {
      this.#unwritten = messageOf(error);
      this.#options.report("last use cannot be written now", { reason: this.#unwritten });
    }
  }

  async #writeRest(taken: Iterator<UsageRow>): Promise<void> {
    const { node } = this.#options;
    for (;;) {
      if (this.#waiting.length === 0) this.#waiting = nextOf(taken, ROWS_PER_WRITE);
      if (this.#waiting.length === 0) break;
      if (!this.#database.add(node, this.#waiting)) this.#miss();
      this.#waiting = [];
      this.#sharing?.changed();
      await turnOfOthers();
    }
    this.#taken = undefined;
    if (this.counts.takeMissed()) this.#miss();
  }

  /** Notes that a use was not counted, so that answers do not take it for none. */
  #miss(): void {
    this.#database.miss(this.#options.node, this.#now());
    this.#sharing?.changed();
  }

  /** Forgets old use, once a day. */
  async #forget(): Promise<void> {
    const now = this.#now();
    if (now - this.#forgotAt < DAY_MS) return;
    this.#forgotAt = now;
    try {
      for (const _ of this.#database.sweep(this.#options.node, now - FORGOTTEN_MS)) await turnOfOthers();
    } catch (error) {
      this.#options.report("old use cannot be forgotten now", { reason: messageOf(error) });
    }
  }
}

function nextOf(rows: Iterator<UsageRow>, amount: number): readonly UsageRow[] {
  const some: UsageRow[] = [];
  while (some.length < amount) {
    const next = rows.next();
    if (next.done === true) break;
    some.push(next.value);
  }
  return some;
}

function withoutLastName(rows: readonly UsageRow[]): readonly UsageRow[] {
  const last = rows.at(-1)?.name;
  const kept = rows.filter(({ name }) => name !== last);
  if (kept.length > 0) return kept;
  throw new AuthorizerError("unavailable", "one name has too many uses to be read");
}
