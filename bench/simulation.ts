/**
 * `npm run bench -- --simulation`: a fleet larger than a test can be. The nodes are the real ones, with copies that
 * keep nothing, over one log of real entries in virtual time; requests and bytes are counted as the engines send them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newestCheckpoint, readRecords, writeCheckpoint } from "../src/journal/checkpoints.ts";
import { createJournalCounters } from "../src/journal/counters.ts";
import { type Engine, entryName } from "../src/journal/engine.ts";
import { MemoryEngine } from "../src/journal/engines/memory.ts";
import { LogNode } from "../src/journal/node.ts";
import { openLocalReplica } from "../src/store/local/open-replica.ts";
import { decodeHead, encodeItem, newId } from "../src/store/log-entry.ts";
import { openMemoryStore } from "../src/store/memory/memory-store.ts";
import type { VersionedRecord } from "../src/store/port.ts";
import type { Replica } from "../src/store/replica.ts";
import { openDirectoryOn } from "../test/directory/open-test-directory.ts";
import { openNode, sharedBy } from "../test/journal/bed.ts";

const share = Number(process.env["BENCH_SCALE"] ?? 1);
const NODES = Math.ceil(1_000 * share);
const USERS = Math.ceil(1_000_000 * share);
const WRITES_PER_SECOND = 10;
const SECONDS = Math.ceil(60 * share);
const POLL_MS = 500;
const SAMPLE_USERS = 1_000;
/** A node reads the floor at least this often (spec/journal §3). */
const FLOOR_MS = 10_000;
/** Bytes of a read unit of DynamoDB. */
const READ_UNIT = 4_096;
const MONTH_S = 30 * 86_400;

/** One row of the table. */
interface SimulationRow {
  readonly name: string;
  readonly value: string;
}

interface Sample {
  /** An item of the log: "attach policy to user". */
  readonly entry: Buffer;
  readonly records: readonly VersionedRecord[];
}

/** Runs the simulation. */
export async function simulateFleet(log: (text: string) => void): Promise<readonly SimulationRow[]> {
  const sample = await takeSample();
  log("sample");
  const fleet = await followLog(sample);
  log("fleet");
  const checkpoint = await measureCheckpoint(sample);
  return [
    ...fleet,
    { name: 'Entry of "attach policy to user"', value: `${sample.entry.length} bytes` },
    {
      name: `Log of a day at ${WRITES_PER_SECOND} writes/s, one entry each`,
      value: `${mebi(sample.entry.length * WRITES_PER_SECOND * 86_400)} MiB`,
    },
    ...checkpoint,
  ];
}

/** Real records and a real entry, made by the use cases of the directory. */
async function takeSample(): Promise<Sample> {
  const engine = new MemoryEngine();
  const node = await openNode(sharedBy(engine));
  const directory = await openDirectoryOn(node);
  const statement = [{ effect: "allow", action: ["fs:Read*"], resource: "*" }] as const;
  await directory.policies.create({ name: "Read", statement: [...statement] });
  for (let index = 0; index < SAMPLE_USERS / 100; index++) {
    await directory.groups.create({ name: `group-${index}` });
    await directory.groups.attachPolicy(`group-${index}`, "Read");
  }
  for (let index = 0; index < SAMPLE_USERS; index++) {
    const username = `user-${String(index).padStart(7, "0")}`;
    await directory.users.create({ username, email: `${username}@example.com` });
    await directory.groups.addMember(`group-${index % (SAMPLE_USERS / 100)}`, username);
  }
  await directory.users.attachPolicy("user-0000000", "Read");
  const entry = (await engine.read(entryName(node.revision)))!;
  await node.checkpoint();
  const marker = (await newestCheckpoint(engine, 0))!;
  const records: VersionedRecord[] = [];
  for await (const page of readRecords(engine, marker)) records.push(...page);
  await node.close();
  return { entry, records };
}

/** All nodes follow one log. */
async function followLog({ entry }: Sample): Promise<SimulationRow[]> {
  const shared = new MemoryEngine();
  const count = { polls: 0, reads: 0, bytes: 0, units: 0 };
  const lags: number[] = [];
  let now = 0;
  const nodes = Array.from({ length: NODES }, () => {
    const node = new LogNode({
      engine: counted(shared, count, () => now),
      replica: nullReplica((at) => lags.push(now - at)),
      counters: createJournalCounters(),
      clock: { now: () => now, delay: async () => {} },
      onRewound: () => {},
    });
    return { node, next: Math.random() * POLL_MS };
  });
  let prev = "";
  for (let revision = 1; now < SECONDS * 1_000; ) {
    const written = (revision * 1_000) / WRITES_PER_SECOND;
    const due = nodes.filter(({ next }) => next <= written).sort((a, b) => a.next - b.next);
    for (const one of due) {
      while (one.next <= written) {
        now = one.next;
        count.polls += 1;
        await one.node.follow();
        one.next += POLL_MS * (0.9 + Math.random() * 0.2);
      }
    }
    now = written;
    const { head, body } = entryOf(entry, revision, prev, now);
    await shared.create(entryName(revision), encodeItem(head, body));
    prev = head.id;
    revision += 1;
  }
  const perSecond = (value: number): number => value / SECONDS;
  return [
    {
      name: `${NODES.toLocaleString("en")} nodes, ${WRITES_PER_SECOND} writes/s, each node polls every ${POLL_MS} ms`,
      value: `${SECONDS} s of virtual time`,
    },
    { name: "Requests to the engine", value: `${perSecond(count.reads).toFixed(0)}/s` },
    { name: "Bytes from the engine", value: `${(perSecond(count.bytes) / 2 ** 20).toFixed(2)} MiB/s` },
    {
      name: "DynamoDB, read units",
      value: `${perSecond(count.units).toFixed(0)}/s, ${millions(perSecond(count.units) * MONTH_S)} million a month`,
    },
    {
      name: "From the commit until a node has applied it",
      value: `p50 ${quantile(lags, 0.5).toFixed(0)} ms, p99 ${quantile(lags, 0.99).toFixed(0)} ms`,
    },
  ];
}

/** The entry of the sample at another place of the log. */
function entryOf(item: Buffer, revision: number, prev: string, now: number) {
  const head = { ...decodeHead(item), revision, id: newId(), prev, at: new Date(now).toISOString() };
  return { head, body: item.subarray(item.indexOf(10) + 1) };
}

/** Counts what the engines on DynamoDB and Cosmos DB would send: a read for each poll, and the floor when it is due. */
function counted(
  engine: MemoryEngine,
  count: { reads: number; bytes: number; units: number },
  now: () => number,
): Engine {
  let floorAt = Number.NEGATIVE_INFINITY;
  const budgets = engine.budgets;
  return {
    ...sharedBy(engine),
    budgets,
    entries: async (after, limit) => {
      const page = await engine.entries(after, limit);
      const bytes = page.entries.reduce((sum, { item }) => sum + item.length, 0);
      count.reads += 1;
      count.bytes += bytes;
      count.units += Math.max(1, Math.ceil(bytes / READ_UNIT));
      if (page.entries.length > 0 || now() - floorAt >= FLOOR_MS) {
        floorAt = now();
        count.reads += 1;
        count.units += 1;
      }
      return page;
    },
  };
}

/** A copy that keeps nothing: what is simulated is the way of the entries. */
function nullReplica(applied: (at: number) => void): Replica {
  const memory = openMemoryStore({ isReplica: true });
  memory.applyEntry = async ({ at }) => applied(Date.parse(at));
  return memory;
}

/** A checkpoint of all users: the sample's records as often as it takes. */
async function measureCheckpoint({ records }: Sample): Promise<SimulationRow[]> {
  const engine = new MemoryEngine();
  const times = Math.ceil(USERS / SAMPLE_USERS);
  async function* pages(): AsyncGenerator<readonly VersionedRecord[]> {
    for (let copy = 0; copy < times; copy++) {
      const suffix = copy.toString(36).padStart(4, "0");
      yield records.map((record) => ({ ...record, key: `${record.key.slice(0, -4)}${suffix}` }));
    }
  }
  const source = { revision: 1, last: { id: "i", at: "t" }, log: "i", recent: [], pages: pages() };
  const began = performance.now();
  const marker = (await writeCheckpoint(engine, source))!;
  const written = (performance.now() - began) / 1_000;
  const folder = mkdtempSync(join(tmpdir(), "simulation-"));
  try {
    const replica = await openLocalReplica({ path: join(folder, "copy") });
    const loading = performance.now();
    const last = { revision: 1, id: "i", at: "t", node: "", log: "i" };
    await replica.replaceState(last, readRecords(engine, marker));
    const loaded = (performance.now() - loading) / 1_000;
    await replica.close();
    return [
      {
        name: `Checkpoint of ${USERS.toLocaleString("en")} users, each in a group`,
        value: `${mebi(marker.bytes)} MiB in ${marker.count.toLocaleString("en")} pieces of 350 KiB, ${(marker.bytes / USERS).toFixed(0)} bytes a user; encoded in ${written.toFixed(1)} s`,
      },
      { name: "A new node loads it into its folder", value: `${loaded.toFixed(1)} s, without the network` },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function mebi(bytes: number): string {
  return Math.round(bytes / 2 ** 20).toLocaleString("en");
}

function millions(value: number): string {
  return Math.round(value / 1e6).toLocaleString("en");
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
