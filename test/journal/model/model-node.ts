/** A node of the model: the program's own node and writer, with checks of what they promise at each moment. */

import { trimLog, writeCheckpoint } from "../../../src/journal/checkpoints.ts";
import type { Clock } from "../../../src/journal/clock.ts";
import { createJournalCounters } from "../../../src/journal/counters.ts";
import { LogNode } from "../../../src/journal/node.ts";
import { Proofs } from "../../../src/journal/proof.ts";
import { LogWriter } from "../../../src/journal/writer.ts";
import type { EntryHead } from "../../../src/store/log-entry.ts";
import { type MemoryStore, openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import type { ReplicaPosition } from "../../../src/store/replica.ts";
import { type Connection, connect, type Life } from "./connection.ts";
import { type Database, nameOf } from "./database.ts";
import type { Schedule } from "./schedule.ts";

/** Milliseconds that a step takes. */
export const STEP_MS = 50;
export const COMMIT_TIMEOUT_MS = 150 * STEP_MS;
/** Time for which a node holds its commits back for another one's turn (spec/journal §2.4). */
const TURN_MS = 5_000;

/** The things that all nodes of a run have in common. */
export interface World {
  readonly schedule: Schedule;
  readonly database: Database;
  /** Ids of entries that nodes and checkpoints carry. */
  readonly carriedIds: number;
  /** True: some nodes are not told when the database is put back. */
  readonly isSilent: boolean;
  /** True: reads see what the same node wrote before, and of what others wrote maybe less. */
  readonly isSession: boolean;
  /** Milliseconds for which the log is kept. */
  readonly keepMs: number;
}

/** False where a node was not told that the database was put back: then only what is true of every copy is promised. */
export function isPromised({ database, isSilent }: World): boolean {
  return database.epoch === 0 || !isSilent;
}

/** A node. */
export class ModelNode {
  readonly world: World;
  readonly replica: MemoryStore;
  readonly life: Life = { alive: true };
  readonly connection: Connection;
  readonly node: LogNode;
  readonly writer: LogWriter;
  readonly proofs: Proofs;
  /** The first thing that it did and must not do; "" for none. */
  fault = "";
  isTrimming = false;
  readonly #apply: MemoryStore["applyEntry"];
  #replace: MemoryStore["replaceState"] | undefined;
  #beside: MemoryStore["beside"] | undefined;
  #turn: { readonly node: string; readonly until: number } | undefined;

  /** @param before the process that had the copy before; absent: it is empty */
  constructor(world: World, isSilent: boolean, before?: ModelNode) {
    const { schedule, database, carriedIds } = world;
    this.world = world;
    this.replica = before?.replica ?? openMemoryStore({ isReplica: true });
    this.#apply = before === undefined ? this.replica.applyEntry.bind(this.replica) : before.#apply;
    this.#watchCopy();
    this.#watchStates(before);
    if (before !== undefined) this.replica.position = before.#position();
    const { isSession } = world;
    this.connection = connect(
      database,
      schedule,
      this.life,
      { isSilent, isSession },
      {
        onCreate: () => this.#assertNotHeld(),
      },
    );
    const now = (): number => schedule.steps * STEP_MS;
    const clock: Clock = { now, delay: () => schedule.step() };
    const { engine } = this.connection;
    const parts = { engine, replica: this.replica, counters: createJournalCounters(), clock };
    const onCondition = (): void => this.#assertNothingMissed();
    this.node = new LogNode({ ...parts, wallClock: now, carriedIds, onRewound: () => {}, onCondition });
    this.#watchProofs();
    const shared = {
      ...parts,
      node: this.node,
      commitTimeoutMs: COMMIT_TIMEOUT_MS,
      onTrouble: () => this.node.doubt(),
      assertContact: () => {},
    };
    this.proofs = new Proofs({ ...shared, spacingMs: () => 0 });
    this.writer = new LogWriter({
      ...shared,
      proofs: this.proofs,
      wallClock: now,
      onCommitted: () => {},
    });
  }

  /** Follows the log now and then. */
  async follow(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      await this.world.schedule.wait(30);
      await this.#catchUp();
    }
  }

  async #catchUp(): Promise<void> {
    const { node } = this;
    await node.exclusive(async () => {
      try {
        await node.verifyIfDoubted();
        await node.follow();
      } catch {
        node.doubt();
      }
    });
  }

  /** Writes checkpoints, and removes what is below them. */
  async trim(): Promise<void> {
    const { schedule, keepMs } = this.world;
    for (let time = 0; time < 3; time++) {
      await schedule.wait(80);
      try {
        const source = await this.node.exclusive(() => this.node.checkpointSource());
        if (source.revision === 0) continue;
        await writeCheckpoint(this.connection.engine, source);
        if (schedule.rarely(4)) continue;
        const since = new Date(Math.max(0, schedule.steps * STEP_MS - keepMs)).toISOString();
        this.isTrimming = true;
        await trimLog(this.connection.engine, since, source.assertSame);
      } catch {
        this.node.doubt();
      } finally {
        this.isTrimming = false;
      }
    }
  }

  /** Notes what the copy takes and must not, also where it gets over it later: somebody may have read it. */
  #watchCopy(): void {
    this.replica.applyEntry = (head, writes) => {
      const entry = this.world.database.known.get(nameOf(head));
      // A node that was not told that the log lost entries goes on with its own.
      if (entry === undefined || !(entry.follows || !isPromised(this.world)))
        this.fault ||= `a copy took an entry ${head.revision} that is void`;
      this.#noteTurn(head as EntryHead);
      return this.#apply(head, writes);
    };
  }

  /** A state that takes the place of another one is whole, and of the same log (spec/journal §3). */
  #watchStates(before: ModelNode | undefined): void {
    const { replica } = this;
    const replace = before === undefined ? replica.replaceState.bind(replica) : before.#replace!;
    const beside = before === undefined ? replica.beside.bind(replica) : before.#beside!;
    this.#replace = replace;
    this.#beside = beside;
    replica.replaceState = async (last, records) => {
      if (last.revision < this.node.revision) this.fault ||= "a copy went back to a checkpoint";
      this.#assertSameLog(last);
      await replace(last, records);
    };
    replica.beside = async () => {
      const began = this.world.schedule.steps;
      const state = await beside();
      let last = { revision: 0, id: "" };
      return {
        fill: async (name, records, recent) => {
          last = name;
          await state.fill(name, records, recent);
        },
        apply: async (entry, writes) => {
          last = entry;
          await state.apply(entry, writes);
        },
        take: async () => {
          this.#assertSameLog(last);
          const { schedule, database } = this.world;
          if (isPromised(this.world) && !database.wasNewest(last.id, began, schedule.steps))
            this.fault ||= `a state at ${last.revision} took the place of a copy before it was whole`;
          return state.take();
        },
        discard: () => state.discard(),
      };
    };
  }

  #assertSameLog(last: { readonly revision: number; readonly id: string }): void {
    const { log } = this.node;
    if (log === "" || this.world.database.firstOf(last) === log) return;
    this.fault ||= last.revision === 0 ? "a copy was emptied" : "a copy went over to another log";
  }

  /** A copy does not tell of a loss that did not happen (spec/journal §3). */
  #assertNothingMissed(): void {
    const { kind } = this.node.condition;
    if (kind !== "whole" && this.world.database.epoch === 0)
      this.fault ||= `a copy at ${this.node.revision} was ${kind}, and nothing was lost`;
  }

  #noteTurn({ turn, node }: EntryHead): void {
    if (turn === true && node !== this.node.id) {
      this.#turn = { node, until: this.world.schedule.steps * STEP_MS + TURN_MS };
    } else if (this.#turn?.node === node) {
      this.#turn = undefined;
    }
  }

  #assertNotHeld(): void {
    if ((this.#turn?.until ?? 0) <= this.world.schedule.steps * STEP_MS) return;
    this.fault ||= "a node commits in another one's turn";
  }

  /** The copy was the newest when a read was sent that proved it, or later (spec/journal §3). */
  #watchProofs(): void {
    const { node } = this;
    const { schedule, database } = this.world;
    const proved = node.proved.bind(node);
    node.proved = (sent) => {
      proved(sent);
      const now = schedule.steps * STEP_MS;
      if (node.age > now - sent.monotonic) return;
      if (!isPromised(this.world) || this.world.isSession) return;
      if (database.wasNewest(node.lastId, sent.monotonic / STEP_MS, schedule.steps)) return;
      this.fault ||= `a copy at ${node.revision} was taken for the newest, the log was at ${database.log.length}`;
    };
  }

  #position(): () => ReplicaPosition {
    const { revision, lastId: id, lastAt: at, log, recent } = this.node;
    const position = { revision, id, at, log, recent: [...recent.list] };
    return () => position;
  }
}
