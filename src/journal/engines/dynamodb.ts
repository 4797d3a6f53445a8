/**
 * The engine on DynamoDB (spec/journal §8): one table with the key (`pk`, `sk`). Entries of one thousand revisions share a
 * `pk`, so that a query reads them in order; parts and pieces are spread, and beside each stands a small item by which
 * they are listed. Every read is strongly consistent.
 */

import {
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  type Engine,
  type EntryPage,
  type ItemKind,
  type ItemName,
  type ListedKind,
  NothingDone,
} from "../engine.ts";
import {
  clientConfig,
  type DynamodbOptions,
  dynamodbReason,
  prepareTable,
  watchTable,
} from "./dynamodb-table.ts";

/** Entries with one `pk`. */
const BUCKET = 1_000;
/** Time in milliseconds for which a missing entry counts as absent without reading the floor. */
const FLOOR_MS = 10_000;

type Key = { readonly pk: { readonly S: string }; readonly sk: { readonly S: string } };

/**
 * Connects and makes the table where it is missing.
 * @throws AuthorizerError "unavailable" or "invalid_request" that says what to do
 */
export async function openDynamodbEngine(options: DynamodbOptions): Promise<Engine> {
  const client = new DynamoDBClient(clientConfig(options));
  const table = `${options.tableName}-authorizer`;
  try {
    await prepareTable(client, table, options.warn);
    const health = watchTable(client, table, options);
    return new DynamodbEngine(client, table, options, health);
  } catch (error) {
    client.destroy();
    if (error instanceof AuthorizerError) throw error;
    const message = `The DynamoDB table ${table} cannot be used: ${dynamodbReason(error)}.`;
    throw new AuthorizerError("unavailable", message, { cause: error });
  }
}

class DynamodbEngine implements Engine {
  readonly budgets = { entry: 64 * 1024, part: 350 * 1024 };
  /** The newest entries are in one partition, which serves 3,000 read units a second; not all of them are polls. */
  readonly pollsPerSecond = 2_000;
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #page: number;
  readonly #callMs: number;
  readonly #health: NodeJS.Timeout | undefined;
  #floor = 0;
  #floorReadAt = Number.NEGATIVE_INFINITY;
  /** Entries in buckets before this one were removed. */
  #firstBucket = 0;

  constructor(
    client: DynamoDBClient,
    table: string,
    { scanLimit, requestTimeoutMs }: Pick<DynamodbOptions, "scanLimit" | "requestTimeoutMs">,
    health: NodeJS.Timeout | undefined,
  ) {
    this.#client = client;
    this.#health = health;
    this.#table = table;
    this.#page = scanLimit;
    this.#callMs = requestTimeoutMs;
  }

  /** For calls that others wait behind: all attempts of one together are bounded, as one attempt is. */
  #bounded(): { readonly abortSignal: AbortSignal } {
    return { abortSignal: AbortSignal.timeout(this.#callMs) };
  }

  async create(name: ItemName, item: Buffer): Promise<boolean> {
    if (!isSpread(name.kind)) return this.#put(keyOf(name), item, this.#bounded());
    await this.#put(listKey(name), undefined);
    return this.#put(keyOf(name), item);
  }

  async read(name: ItemName): Promise<Buffer | undefined> {
    const { Item } = await this.#send(() =>
      this.#client.send(
        new GetItemCommand({ TableName: this.#table, Key: keyOf(name), ConsistentRead: true }),
        this.#bounded(),
      ),
    );
    const bytes = Item?.["item"]?.B;
    return bytes && Buffer.from(bytes);
  }

  async entries(after: number, limit: number): Promise<EntryPage> {
    const entries: { revision: number; item: Buffer }[] = [];
    while (entries.length < limit) {
      const next = after + entries.length + 1;
      const found = await this.#query(bucketOf(next), sortOf(next, ""), "~", limit - entries.length);
      const before = entries.length;
      for (const { sk, item } of found) {
        const revision = Number(sk.slice(0, 16));
        if (revision !== after + entries.length + 1 || item === undefined) break;
        entries.push({ revision, item });
      }
      // A bucket that was read to its last entry is followed by the next.
      if (entries.length === before || (after + entries.length + 1) % BUCKET !== 0) break;
    }
    const isRecent = performance.now() - this.#floorReadAt < FLOOR_MS;
    return { entries, floor: entries.length === 0 && isRecent ? this.#floor : await this.floor() };
  }

  async firstAfter(revision: number): Promise<number | undefined> {
    const next = revision + 1;
    const [here] = await this.#query(bucketOf(next), sortOf(next, ""), "~", 1);
    const [found] = here === undefined ? await this.#query(bucketOf(next + BUCKET), "", "~", 1) : [here];
    return found && Number(found.sk.slice(0, 16));
  }

  async floor(): Promise<number> {
    const asked = performance.now();
    const { Item } = await this.#send(() =>
      this.#client.send(
        new GetItemCommand({ TableName: this.#table, Key: FLOOR_KEY, ConsistentRead: true }),
        this.#bounded(),
      ),
    );
    this.#floor = Number(Item?.["floor"]?.N ?? 0);
    this.#floorReadAt = asked;
    return this.#floor;
  }

  async raiseFloor(to: number): Promise<void> {
    try {
      await this.#client.send(
        new UpdateItemCommand({
          TableName: this.#table,
          Key: FLOOR_KEY,
          UpdateExpression: "SET #f = :to",
          ConditionExpression: "attribute_not_exists(#f) OR #f < :to",
          ExpressionAttributeNames: { "#f": "floor" },
          ExpressionAttributeValues: { ":to": { N: String(to) } },
        }),
      );
    } catch (error) {
      if ((error as Error).name !== "ConditionalCheckFailedException") throw error;
    }
    this.#floorReadAt = Number.NEGATIVE_INFINITY;
  }

  async remove(names: readonly ItemName[]): Promise<void> {
    for (const name of names) {
      await this.#delete(keyOf(name));
      // Last, so that what is left after a failure is found again.
      if (isSpread(name.kind)) await this.#delete(listKey(name));
    }
  }

  async list(kind: ItemKind, upTo: number, limit: number): Promise<readonly ItemName[]> {
    if (kind === "entry") return this.#listEntries(upTo, limit);
    const found = await this.#query(listOf(kind), "", sortOf(upTo, "~"), limit);
    return found.map(({ sk }) => nameOf(kind, sk));
  }

  async newest(kind: ListedKind, upTo: number): Promise<ItemName | undefined> {
    const [found] = await this.#query(listOf(kind), "", sortOf(upTo, "~"), 1, false);
    return found && nameOf(kind, found.sk);
  }

  watch(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    clearInterval(this.#health);
    this.#client.destroy();
  }

  async #listEntries(upTo: number, limit: number): Promise<readonly ItemName[]> {
    const names: ItemName[] = [];
    for (let bucket = this.#firstBucket; bucket * BUCKET <= upTo && names.length < limit; bucket++) {
      const last = sortOf(upTo, "~");
      const found = await this.#query(bucketOf(bucket * BUCKET), "", last, limit - names.length);
      names.push(...found.map(({ sk }) => nameOf("entry", sk)));
      const isPast = (bucket + 1) * BUCKET <= upTo;
      if (found.length === 0 && isPast && bucket === this.#firstBucket) this.#firstBucket = bucket + 1;
    }
    return names;
  }

  /** Items of one `pk` from `first` on up to `last`, at most `limit`, ascending or descending. */
  async #query(
    pk: string,
    first: string,
    last: string,
    limit: number,
    isAscending = true,
  ): Promise<readonly { readonly sk: string; readonly item: Buffer | undefined }[]> {
    const found: { sk: string; item: Buffer | undefined }[] = [];
    let start: Record<string, { S: string }> | undefined;
    do {
      const page = await this.#send(() =>
        this.#client.send(
          new QueryCommand({
            TableName: this.#table,
            ConsistentRead: true,
            ScanIndexForward: isAscending,
            KeyConditionExpression: "pk = :pk AND sk BETWEEN :first AND :last",
            ExpressionAttributeValues: {
              ":pk": { S: pk },
              ":first": { S: first || " " },
              ":last": { S: last },
            },
            Limit: Math.min(this.#page, limit - found.length),
            ...(start !== undefined && { ExclusiveStartKey: start }),
          }),
          this.#bounded(),
        ),
      );
      for (const { sk, item } of page.Items ?? []) {
        found.push({ sk: sk?.S ?? "", item: item?.B && Buffer.from(item.B) });
      }
      start = page.LastEvaluatedKey as typeof start;
    } while (start !== undefined && found.length < limit);
    return found;
  }

  /** False where there is an item already. */
  async #put(
    key: Key,
    item: Buffer | undefined,
    options?: { readonly abortSignal: AbortSignal },
  ): Promise<boolean> {
    try {
      await this.#send(() =>
        this.#client.send(
          new PutItemCommand({
            TableName: this.#table,
            Item: { ...key, ...(item !== undefined && { item: { B: item } }) },
            ConditionExpression: "attribute_not_exists(pk)",
          }),
          options,
        ),
      );
      return true;
    } catch (error) {
      if ((error as Error).name === "ConditionalCheckFailedException") return false;
      throw error;
    }
  }

  async #delete(key: Key): Promise<void> {
    await this.#send(() => this.#client.send(new DeleteItemCommand({ TableName: this.#table, Key: key })));
  }

  async #send<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      const { name, $metadata } = error as { name: string; $metadata?: { attempts?: number } };
      // Of several attempts an earlier one may have happened.
      if (REFUSED.has(name) && $metadata?.attempts === 1) {
        throw new NothingDone(dynamodbReason(error), { cause: error });
      }
      throw error;
    }
  }
}

const FLOOR_KEY: Key = { pk: { S: "floor" }, sk: { S: "floor" } };

/** Errors with which the database says that it did nothing. */
const REFUSED = new Set([
  "AccessDeniedException",
  "ResourceNotFoundException",
  "UnrecognizedClientException",
  "InvalidSignatureException",
  "ValidationException",
]);

function isSpread(kind: ItemKind): boolean {
  return kind === "part" || kind === "piece" || kind === "usage";
}

function sortOf(number: number, name: string): string {
  return `${String(number).padStart(16, "0")}/${name}`;
}

function bucketOf(revision: number): string {
  return `entry/${Math.floor(revision / BUCKET)}`;
}

function keyOf({ kind, number, name }: ItemName): Key {
  const sk = { S: sortOf(number, name) };
  if (kind === "entry") return { pk: { S: bucketOf(number) }, sk };
  return { pk: { S: isSpread(kind) ? `${kind}/${number}/${name}` : `list/${kind}` }, sk };
}

function listKey({ kind, number, name }: ItemName): Key {
  return { pk: { S: `list/${kind}` }, sk: { S: sortOf(number, name) } };
}

function listOf(kind: ListedKind): string {
  return listKey({ kind, number: 0, name: "" }).pk.S;
}

function nameOf(kind: ItemKind, sk: string): ItemName {
  return { kind, number: Number(sk.slice(0, 16)), name: sk.slice(17) };
}
