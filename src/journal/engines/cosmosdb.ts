/**
 * The engine on Cosmos DB (spec/journal §8): one container with the partition key `/pk`. Entries and the floor share one
 * partition, so that whoever saw an entry sees the floor as it was before (also with the consistency level Session).
 * Parts and pieces are spread, and beside each stands a small item by which they are listed.
 */

import { setTimeout as delay } from "node:timers/promises";
import type { Container, SqlParameter } from "@azure/cosmos";
import {
  type Engine,
  type EntryPage,
  entryName,
  type ItemKind,
  type ItemName,
  type ListedKind,
  NothingDone,
} from "../engine.ts";
import {
  type CosmosdbOptions,
  cosmosdbReason,
  isStatus,
  type OpenContainer,
  openCosmosdbContainer,
} from "./cosmosdb-container.ts";

/** Largest encoded items, in bytes (spec/journal §2.3). */
const ENTRY_BYTES = 256 * 1024;
const PART_BYTES = 1_536 * 1024;
/** Room for names and for what the database adds to an item. */
const NAMES_BYTES = 2 * 1024;
/** Longest time for which absence of an entry is believed without reading the floor. */
const FLOOR_MS = 10_000;
/** Between two reads of an item that is known to be there. */
const UNSEEN_MS = 20;
const QUERY_PAGE = 100;

/** Bytes of the log from which on it is trimmed: a partition holds 20 GB. */
const LOG_BYTES = 10 * 1024 ** 3;

const LOG = "log";
/** The item that a barrier writes: what a session reads of its partition afterwards is not older than that write. */
const BARRIER = { id: "looked", n: -1 };
const FLOOR_ID = "floor";

interface Document {
  readonly id: string;
  readonly n: number;
  /** The item, base64. */
  readonly item?: string;
  readonly floor?: number;
  readonly _etag?: string;
}

/**
 * Connects and makes the container where it is missing.
 * @param logBytes weight of the log from which on it is trimmed
 * @throws AuthorizerError "unavailable" or "invalid_request" that says what to do
 */
export async function openCosmosdbEngine(options: CosmosdbOptions, logBytes = LOG_BYTES): Promise<Engine> {
  return new CosmosdbEngine(await openCosmosdbContainer(options), options.requestTimeoutMs, logBytes);
}

class CosmosdbEngine implements Engine {
  readonly budgets = { entry: rawBytes(ENTRY_BYTES), part: rawBytes(PART_BYTES) };
  readonly #open: OpenContainer;
  readonly #container: Container;
  readonly #timeoutMs: number;
  readonly #logBytes: number;
  #floor = 0;
  #floorReadAt = Number.NEGATIVE_INFINITY;
  /** The newest entry that this node was refused to create: it is there, even if a read does not show it yet. */
  #taken = 0;

  constructor(open: OpenContainer, timeoutMs: number, logBytes: number) {
    this.#open = open;
    this.#container = open.container;
    this.#timeoutMs = timeoutMs;
    this.#logBytes = logBytes;
  }

  async create(name: ItemName, item: Buffer): Promise<boolean> {
    if (isSpread(name.kind)) await this.#create(listPlace(name), { n: name.number });
    // Only entries are weighed: the log is what one partition has to hold.
    const weight = name.kind === "entry" ? { bytes: item.length } : {};
    const made = await this.#create(placeOf(name), {
      n: name.number,
      item: item.toString("base64"),
      ...weight,
    });
    if (!made && name.kind === "entry") this.#taken = name.number;
    return made;
  }

  async read(name: ItemName): Promise<Buffer | undefined> {
    const end = performance.now() + this.#timeoutMs;
    for (;;) {
      const document = await this.#read(placeOf(name));
      if (document !== undefined) return Buffer.from(document.item ?? "", "base64");
      // With the consistency level Session a read may be older than the refusal of a create.
      if (name.kind !== "entry" || name.number !== this.#taken) return undefined;
      if ((await this.floor()) >= name.number) return undefined;
      if (performance.now() > end) throw new Error(`entry ${name.number} exists and cannot be read yet`);
      await delay(UNSEEN_MS);
    }
  }

  async entries(after: number, limit: number): Promise<EntryPage> {
    // Reading one item by its name is the cheapest question whether there is something new.
    const next = await this.#read(placeOf(entryName(after + 1)));
    const entries: { revision: number; item: Buffer }[] = [];
    if (next !== undefined) {
      const found = limit === 1 ? [next] : await this.#query(ENTRIES, [after, after + limit], LOG, limit);
      for (const { n, item } of found) {
        if (n !== after + entries.length + 1 || item === undefined) break;
        entries.push({ revision: n, item: Buffer.from(item, "base64") });
      }
    }
    const isRecent = performance.now() - this.#floorReadAt < FLOOR_MS;
    return { entries, floor: entries.length === 0 && isRecent ? this.#floor : await this.floor() };
  }

  async firstAfter(revision: number): Promise<number | undefined> {
    const [found] = await this.#query(NUMBERS, [revision, Number.MAX_SAFE_INTEGER], LOG, 1);
    return found?.n;
  }

  async floor(): Promise<number> {
    const asked = performance.now();
    this.#floor = (await this.#read(FLOOR_PLACE))?.floor ?? 0;
    this.#floorReadAt = asked;
    return this.#floor;
  }

  async barrier(): Promise<void> {
    await this.#barrier(LOG);
  }

  async raiseFloor(to: number): Promise<void> {
    this.#floorReadAt = Number.NEGATIVE_INFINITY;
    for (;;) {
      const now = await this.#read(FLOOR_PLACE);
      if ((now?.floor ?? 0) >= to) return;
      if (now === undefined) {
        if (await this.#create(FLOOR_PLACE, { n: -1, floor: to })) return;
        continue;
      }
      const body = { id: FLOOR_ID, pk: LOG, n: -1, floor: to };
      const unchanged = { accessCondition: { type: "IfMatch", condition: now._etag ?? "" } };
      try {
        await this.#send((limits) =>
          this.#container.item(FLOOR_ID, LOG).replace(body, { ...limits, ...unchanged }),
        );
        return;
      } catch (error) {
        if (!isStatus(error, 412)) throw error;
      }
    }
  }

  async remove(names: readonly ItemName[]): Promise<void> {
    for (const name of names) {
      await this.#delete(placeOf(name));
      // Last, so that what is left after a failure is found again.
      if (isSpread(name.kind)) await this.#delete(listPlace(name));
    }
  }

  async list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]> {
    const found = await this.#query(NAMES, idsUpTo(upTo), listedIn(kind), limit);
    return found.map(({ id, n }) => ({ kind, number: n, name: nameIn(id) }));
  }

  async newest(kind: ListedKind, upTo: number): Promise<ItemName | undefined> {
    // One that is not seen yet would tell of a log that lost its beginning.
    if (kind === "checkpoint") await this.#barrier(listedIn(kind));
    const [found] = await this.#query(`${NAMES} DESC`, idsUpTo(upTo), listedIn(kind), 1);
    return found && { kind, number: found.n, name: nameIn(found.id) };
  }

  async isCrowded(): Promise<boolean> {
    const query = { query: "SELECT VALUE SUM(c.bytes) FROM c WHERE c.pk = 'log' AND c.n > 0" };
    const { resources } = await this.#send((limits) =>
      this.#container.items.query<number>(query, { ...limits, partitionKey: LOG }).fetchAll(),
    );
    return (resources[0] ?? 0) > this.#logBytes;
  }

  watch(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    this.#open.close();
  }

  async #barrier(pk: string): Promise<void> {
    if (!this.#open.isSession) return;
    await this.#send((limits) => this.#container.items.upsert({ ...BARRIER, pk }, limits));
  }

  /** False where there is an item already. */
  async #create({ id, pk }: Place, fields: object): Promise<boolean> {
    try {
      await this.#send((limits) => this.#container.items.create({ id, pk, ...fields }, limits));
      return true;
    } catch (error) {
      if (isStatus(error, 409)) return false;
      throw error;
    }
  }

  async #read({ id, pk }: Place): Promise<Document | undefined> {
    const { resource, substatus } = await this.#send((limits) =>
      this.#container.item(id, pk).read<Document>(limits),
    );
    // The client answers an absent item and an absent container alike.
    if (substatus === CONTAINER_ABSENT) throw new NothingDone(cosmosdbReason({ code: 404 }));
    return resource;
  }

  async #delete({ id, pk }: Place): Promise<void> {
    try {
      await this.#send((limits) => this.#container.item(id, pk).delete(limits));
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  /** Documents of one partition in order, at most `limit`. */
  async #query(
    query: string,
    [first, last]: readonly [SqlParameter["value"], SqlParameter["value"]],
    pk: string,
    limit: number,
  ): Promise<readonly Document[]> {
    const parameters = [
      { name: "@pk", value: pk },
      { name: "@first", value: first },
      { name: "@last", value: last },
    ];
    const found: Document[] = [];
    let continuationToken: string | undefined;
    do {
      const page = await this.#send((limits) =>
        this.#container.items
          .query<Document>(
            { query, parameters },
            {
              ...limits,
              partitionKey: pk,
              maxItemCount: Math.min(limit - found.length, QUERY_PAGE),
              ...(continuationToken !== undefined && { continuationToken }),
            },
          )
          .fetchNext(),
      );
      found.push(...(page.resources ?? []));
      continuationToken = page.continuationToken;
    } while (continuationToken !== undefined && found.length < limit);
    return found;
  }

  /** A refusal because of missing request units (429) that lasts is no outcome, as everything unknown. */
  async #send<T>(request: (limits: { readonly abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    try {
      return await request({ abortSignal: AbortSignal.timeout(2 * this.#timeoutMs) });
    } catch (error) {
      if (REFUSED.some((status) => isStatus(error, status))) {
        throw new NothingDone(cosmosdbReason(error), { cause: error });
      }
      throw error;
    }
  }
}

/** Second status of a 404 that is not about the item. */
const CONTAINER_ABSENT = 1003;

/** Answers with which the database says that it did nothing. */
const REFUSED = [400, 401, 403, 413];

const ENTRIES =
  "SELECT c.id, c.n, c.item FROM c WHERE c.pk = @pk AND c.n > @first AND c.n <= @last ORDER BY c.n";
const NUMBERS = "SELECT c.id, c.n FROM c WHERE c.pk = @pk AND c.n > @first AND c.n <= @last ORDER BY c.n";
const NAMES = "SELECT c.id, c.n FROM c WHERE c.pk = @pk AND c.id >= @first AND c.id <= @last ORDER BY c.id";

interface Place {
  readonly id: string;
  readonly pk: string;
}

const FLOOR_PLACE: Place = { id: FLOOR_ID, pk: LOG };

/** Bytes that fit into an encoded item, which has them as base64. */
function rawBytes(encoded: number): number {
  return Math.floor((encoded - NAMES_BYTES) / 4) * 3;
}

function isSpread(kind: ItemKind): boolean {
  return kind === "part" || kind === "piece" || kind === "usage";
}

function placeOf({ kind, number, name }: ItemName): Place {
  const id = idOf(number, name);
  if (kind === "entry") return { id, pk: LOG };
  return { id, pk: isSpread(kind) ? `${kind}.${id}` : `list.${kind}` };
}

function listPlace({ kind, number, name }: ItemName): Place {
  return { id: idOf(number, name), pk: `list.${kind}` };
}

/** An id in the order of numbers. The database refuses "/", "\\", "?" and "#" in ids: such bytes are written in hex. */
function idOf(number: number, name: string): string {
  const bytes = Buffer.from(name);
  const text = bytes
    .toString("latin1")
    .replace(/[^\w-]/g, (byte) => `.${byte.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return `${String(number).padStart(16, "0")}_${text}`;
}

/** First and last id of the items of numbers up to `upTo`. */
function idsUpTo(upTo: number): readonly [string, string] {
  return [idOf(0, ""), `${idOf(upTo, "")}~`];
}

/** The partition in which the items of a kind are listed. */
function listedIn(kind: ItemKind): string {
  return kind === "entry" ? LOG : listPlace({ kind, number: 0, name: "" }).pk;
}

function nameIn(id: string): string {
  const text = id
    .slice(17)
    .replace(/\.(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(text, "latin1").toString("utf8");
}
