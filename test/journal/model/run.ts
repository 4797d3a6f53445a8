/** One run of the protocol under a schedule, and what is wrong with its history. */

import { isErrorCode } from "../../../src/errors.ts";
import { writeCheckpoint } from "../../../src/journal/checkpoints.ts";
import { createJournalCounters } from "../../../src/journal/counters.ts";
import type { Engine, ItemKind } from "../../../src/journal/engine.ts";
import { MemoryEngine } from "../../../src/journal/engines/memory.ts";
import { readBody } from "../../../src/journal/entry-parts.ts";
import { LogNode } from "../../../src/journal/node.ts";
import { LogWriter } from "../../../src/journal/writer.ts";
import { decodeHead } from "../../../src/store/log-entry.ts";
import { type MemoryStore, openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { ReadSet } from "../../../src/store/port.ts";
import { type Archive, faultyEngine, type Life } from "./faulty-engine.ts";
import { Schedule } from "./schedule.ts";

/** The behaviour of one client: it reads one key or all of them, and writes another. */
export interface UseCase {
  readonly read: number;
  readonly scan: boolean;
  readonly write: number;
}

/** The actions of a run. */
export interface Run {
  /** For each node, for each of its clients, its use cases. */
  readonly nodes: readonly (readonly (readonly UseCase[])[])[];
  readonly choices: readonly number[];
}

type Outcome = "running" | "acknowledged" | "refused" | "unknown";

/** The value that a use case writes into its key: its identity and what it had read. */
interface Trace {
  readonly uid: string;
  /** Values of the keys that it read, by key. */
  readonly seen: Readonly<Record<string, string | null>>;
  /** The key that it wrote. */
  readonly wrote: string;
}

const P = "things";
const KEYS = ["a", "b", "c", "d"];
const CARRIED_IDS = 12;

class ModelNode {
  readonly replica: MemoryStore = openMemoryStore({ isReplica: true });
  readonly life: Life = { alive: true };
  readonly engine: Engine;
  readonly node: LogNode;
  readonly writer: LogWriter;
  readonly schedule: Schedule;
  /** The first entry that the copy took and that the log does not have; "" for none. */
  stranger = "";
  #troubled = false;

  constructor(schedule: Schedule, shared: MemoryEngine, archive: Archive) {
    this.schedule = schedule;
    this.engine = faultyEngine(shared, archive, schedule, this.life);
    const applyEntry = this.replica.applyEntry.bind(this.replica);
    this.replica.applyEntry = (head, writes) => {
      const known = archive.get(head.revision);
      const isKnown = known !== undefined && decodeHead(known).id === head.id;
      if (!isKnown && this.stranger === "")
        this.stranger = `a copy took an entry ${head.revision} that is void`;
      return applyEntry(head, writes);
    };
    const clock = { now: () => schedule.steps, delay: () => schedule.step() };
    const parts = { engine: this.engine, replica: this.replica, counters: createJournalCounters(), clock };
    this.node = new LogNode({ ...parts, carriedIds: CARRIED_IDS, onRewound: () => {} });
    this.writer = new LogWriter({
      ...parts,
      node: this.node,
      commitTimeoutMs: 150,
      wallClock: () => schedule.steps,
      onTrouble: () => {
        this.#troubled = true;
      },
      assertContact: () => {},
      onCommitted: () => {},
    });
  }

  /** Follows the log now and then. */
  async follow(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      for (let wait = this.schedule.choose(30); wait > 0; wait--) await this.schedule.step();
      await this.node
        .exclusive(async () => {
          if (this.#troubled) await this.node.verify();
          this.#troubled = false;
          await this.node.follow();
        })
        .catch(() => {
          this.#troubled = true;
        });
    }
  }

  /** Writes checkpoints, and removes what is below the newest. */
  async trim(shared: MemoryEngine): Promise<void> {
    for (let time = 0; time < 2; time++) {
      for (let wait = this.schedule.choose(80); wait > 0; wait--) await this.schedule.step();
      try {
        const source = await this.node.exclusive(async () => this.node.checkpointSource());
        if (source.revision === 0) continue;
        await writeCheckpoint(this.engine, source);
        if (this.schedule.choose(3) === 0) continue;
        const markers = await shared.list("checkpoint", source.revision, 1_000);
        if (!markers.some(({ number }) => number === source.revision)) continue;
        await this.engine.raiseFloor(source.revision);
        for (const kind of ["entry", "checkpoint", "piece"] satisfies ItemKind[]) {
          const upTo = kind === "entry" ? source.revision : source.revision - 1;
          await this.engine.remove(await this.engine.list(kind, upTo, 1_000));
        }
      } catch {
        // The next time.
      }
    }
  }

  /** Runs a client's use cases, each until it is committed, refused for good or of unknown outcome. */
  async client(name: string, useCases: readonly UseCase[], outcomes: Map<string, Outcome>): Promise<void> {
    for (const [index, useCase] of useCases.entries()) {
      const uid = `${name}.${index}`;
      outcomes.set(uid, "running");
      outcomes.set(uid, await this.#useCase(uid, useCase));
      for (let nap = this.schedule.choose(40); nap > 0; nap--) await this.schedule.step();
    }
  }

  async #useCase(uid: string, { read, scan, write }: UseCase): Promise<Outcome> {
    for (let attempt = 0; attempt < 8; attempt++) {
      const snapshot = await this.replica.snapshot();
      const keys = scan ? KEYS : [KEYS[read]!];
      const found = await snapshot.getMany(P, keys);
      const seen = Object.fromEntries(keys.map((key, index) => [key, found[index]?.value ?? null]));
      const reads: ReadSet = {
        revision: snapshot.revision,
        keys: new Map(scan ? [] : [[P, new Set(keys)]]),
        ranges: scan ? [{ partition: P, prefix: "", after: undefined, upTo: undefined }] : [],
      };
      snapshot.release();
      for (let think = this.schedule.choose(6); think > 0; think--) await this.schedule.step();
      const trace = JSON.stringify({ uid, seen, wrote: KEYS[write]! } satisfies Trace);
      try {
        await this.writer.commit({
          reads,
          put: [
            { partition: P, key: KEYS[write]!, value: uid },
            { partition: "traces", key: uid, value: trace },
          ],
        });
        return "acknowledged";
      } catch (error) {
        if (isErrorCode(error, "outcome_unknown")) return "unknown";
        if (!isErrorCode(error, "conflict") && !isErrorCode(error, "unavailable")) throw error;
      }
    }
    return "refused";
  }
}

/** Runs a schedule. Returns what is wrong with the history, "" for nothing. */
export async function faultOf(run: Run): Promise<string> {
  const schedule = new Schedule(run.choices);
  const shared = new MemoryEngine({ entry: schedule.choose(2) === 0 ? 6_000 : 1_400, part: 200 });
  const archive: Archive = new Map();
  const outcomes = new Map<string, Outcome>();
  const nodes = run.nodes.map(() => new ModelNode(schedule, shared, archive));
  const failures: unknown[] = [];
  const start = (work: Promise<void>): void => {
    work.catch((error: unknown) => failures.push(error));
  };
  for (const [index, clients] of run.nodes.entries()) {
    const node = nodes[index]!;
    for (const [client, useCases] of clients.entries())
      start(node.client(`${index}-${client}`, useCases, outcomes));
    start(node.follow(4));
    if (schedule.choose(2) === 0) start(node.trim(shared));
    if (schedule.choose(6) === 5) start(kill(node));
  }
  if (!(await schedule.run())) return "does not end";
  // Whoever lives catches up, without further failures.
  for (const node of nodes) if (node.life.alive) start(node.follow(12));
  if (!(await schedule.run())) return "does not end";
  if (failures.length > 0) return `threw ${String(failures[0])}`;
  return faultOfHistory(archive, shared, outcomes, nodes);
}

async function kill(node: ModelNode): Promise<void> {
  for (let wait = node.schedule.choose(300); wait > 0; wait--) await node.schedule.step();
  node.life.alive = false;
}

async function faultOfHistory(
  archive: Archive,
  shared: MemoryEngine,
  outcomes: ReadonlyMap<string, Outcome>,
  nodes: readonly ModelNode[],
): Promise<string> {
  const state = new Map<string, string>();
  const versions = new Map<string, string>();
  const committed = new Set<string>();
  let previous = "";
  for (let revision = 1; archive.has(revision); revision++) {
    const item = archive.get(revision)!;
    const head = decodeHead(item);
    if (head.prev !== previous) return `the chain is broken at ${revision}`;
    previous = head.id;
    const body = await readBody(shared, head, item);
    if (body === undefined) return `a part of ${revision} is gone`;
    for (const { partition, value } of body.put) {
      if (partition !== "traces") continue;
      const { uid, seen, wrote } = JSON.parse(value) as Trace;
      if (committed.has(uid)) return `${uid} was committed twice`;
      committed.add(uid);
      for (const [key, was] of Object.entries(seen)) {
        const is = state.get(`${P}/${key}`) ?? null;
        if (is !== was) return `${uid} had seen ${was} in ${key}, the history says ${is}`;
      }
      // Use cases of one entry come in the order of the group: whoever is later must not have read what this one wrote.
      state.set(`${P}/${wrote}`, uid);
    }
    for (const { partition, key, value } of body.put) {
      state.set(`${partition}/${key}`, value);
      versions.set(`${partition}/${key}`, String(revision));
    }
  }
  for (const [uid, outcome] of outcomes) {
    if (outcome === "acknowledged" && !committed.has(uid)) return `${uid} was acknowledged and is not there`;
    if (outcome === "refused" && committed.has(uid)) return `${uid} was refused and is there`;
  }
  for (const { replica, node, life, stranger } of nodes) {
    // Even where the copy gets over it later: somebody may have read it.
    if (stranger !== "") return stranger;
    if (life.alive && node.lastId !== previous)
      return `a copy is at ${node.revision}, the log at ${archive.size}`;
    const copy = new Map<string, string>();
    for await (const page of replica.state().pages) {
      for (const { partition, key, value, version } of page) {
        copy.set(`${partition}/${key}`, value);
        if (life.alive && versions.get(`${partition}/${key}`) !== String(version)) return "a version differs";
      }
    }
    if (!life.alive) continue;
    if (copy.size !== state.size) return "a copy has another number of records";
    for (const [key, value] of state) if (copy.get(key) !== value) return `a copy differs in ${key}`;
  }
  return "";
}
