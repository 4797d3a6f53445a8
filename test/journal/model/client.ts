/** A client of a node: it runs use cases one after the other, and knows what it was answered. */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { provenAnswer } from "../../../src/journal/proven-answer.ts";
import { expectAsRead } from "../../../src/store/expectation.ts";
import type { Commit, Snapshot } from "../../../src/store/port.ts";
import { COMMIT_TIMEOUT_MS, isPromised, type ModelNode, STEP_MS } from "./model-node.ts";

/** The behaviour of one client: it reads one key or all of them, and writes another. */
export interface UseCase {
  readonly read: number;
  readonly scan: boolean;
  readonly write: number;
  /** Bytes that it writes besides. */
  readonly bulk: number;
  /** True: it asks the other nodes to hold back first. */
  readonly turn: boolean;
  /** True: it finds nothing to do, and answers what it read. */
  readonly nothing: boolean;
}

/** The answer that a client got. */
export interface Outcome {
  readonly kind: "running" | "acknowledged" | "refused" | "unknown";
  readonly revision?: number;
}

/** The value that a use case writes into its key: its identity and what it had read. */
export interface Trace {
  readonly uid: string;
  /** Values of the keys that it read, by key. */
  readonly seen: Readonly<Record<string, string | null>>;
  /** The key that it wrote. */
  readonly wrote: string;
}

/** The partition of the keys. */
const P = "things";
/** The partition of the traces. */
export const TRACES = "traces";
const KEYS = ["a", "b", "c", "d"];
const MOST_ATTEMPTS = 8;
/** Time in which an outcome is found out, where races were lost before. */
const LEAST_WAIT_MS = 0.19 * COMMIT_TIMEOUT_MS;
/** Carried ids that are more than a run has entries. */
const ENOUGH_IDS = 100;

/** Runs a client's use cases, each until it is committed, refused for good or of unknown outcome. */
export async function runClient(
  node: ModelNode,
  name: string,
  useCases: readonly UseCase[],
  outcomes: Map<string, Outcome>,
): Promise<void> {
  for (const [index, useCase] of useCases.entries()) {
    const uid = `${name}.${index}`;
    if (!useCase.nothing) outcomes.set(uid, { kind: "running" });
    if (useCase.turn) await node.writer.takeTurn().catch(expected);
    if (useCase.nothing) await findNothing(node, uid, useCase);
    else outcomes.set(uid, await runUseCase(node, uid, useCase));
    await node.world.schedule.wait(40);
  }
}

async function runUseCase(node: ModelNode, uid: string, useCase: UseCase): Promise<Outcome> {
  const { schedule, database } = node.world;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const { conditions, trace } = await decide(node, uid, useCase);
    await schedule.wait(6);
    const { epoch } = database;
    const began = schedule.steps;
    try {
      const revision = await node.writer.commit({
        ...conditions,
        put: [
          { partition: P, key: KEYS[useCase.write]!, value: uid },
          { partition: TRACES, key: uid, value: trace },
          ...(useCase.bulk > 0 ? [{ partition: "bulk", key: uid, value: "x".repeat(useCase.bulk) }] : []),
        ],
      });
      if (epoch === database.epoch) await assertInForce(node, uid, trace);
      return { kind: "acknowledged", revision };
    } catch (error) {
      if (isErrorCode(error, "outcome_unknown")) {
        const isEarly = (schedule.steps - began) * STEP_MS < LEAST_WAIT_MS;
        const mayBe = database.epoch > 0 || node.world.carriedIds < ENOUGH_IDS;
        if (isEarly && !mayBe) node.fault ||= `${uid} was called unknown before its time`;
        return { kind: "unknown" };
      }
      expected(error);
    }
  }
  return { kind: "refused" };
}

/**
 * Answers what it read, without a commit (spec/journal §2.8), as a check does or as a call does. Whatever is answered was so
 * at some moment since the request came.
 */
async function findNothing(node: ModelNode, uid: string, useCase: UseCase): Promise<void> {
  const { schedule, database } = node.world;
  const came = schedule.steps;
  const isCall = schedule.choose(2) === 1;
  const trace = await (isCall ? answerProven : answerChecked)(node, uid, useCase);
  if (trace === undefined) return;
  const { seen } = JSON.parse(trace) as Trace;
  if (!isPromised(node.world) || database.wasSo(seen, P, came, schedule.steps)) return;
  node.fault ||= `${uid} was answered ${JSON.stringify(seen)}, which was never so since it came`;
}

/** After a check that failed it reads again and answers that: the state is proved. Undefined where nothing is answered. */
async function answerChecked(node: ModelNode, uid: string, useCase: UseCase): Promise<string | undefined> {
  const { conditions, trace } = await decide(node, uid, useCase);
  await node.world.schedule.wait(12);
  try {
    await node.writer.commit(conditions);
    return trace;
  } catch (error) {
    expected(error);
    if (!isErrorCode(error, "conflict")) return undefined;
    return (await decide(node, uid, useCase)).trace;
  }
}

/** Undefined where nothing is answered. One proof is enough, whatever others write meanwhile. */
async function answerProven(node: ModelNode, uid: string, useCase: UseCase): Promise<string | undefined> {
  let proofs = 0;
  try {
    return await provenAnswer({
      call: { isProven: false, hasRead: true },
      isRefusalOnly: false,
      work: async () => {
        const { trace } = await decide(node, uid, useCase);
        await node.world.schedule.wait(12);
        return trace;
      },
      state: () => `${node.node.revision}.${node.node.lastId}`,
      prove: async () => {
        if (proofs++ > 0) node.fault ||= `${uid} waited for another proof`;
        await node.proofs.prove(uid);
      },
    });
  } catch (error) {
    expected(error);
    return undefined;
  }
}

async function decide(node: ModelNode, uid: string, { read, scan, write }: UseCase) {
  const snapshot = await node.replica.snapshot();
  const keys = scan ? KEYS : [KEYS[read]!];
  const found = await snapshot.getMany(P, keys);
  snapshot.release();
  // What reads one record names it in one of two ways.
  const isExpected = !scan && write % 2 === 1;
  const conditions = isExpected
    ? { expect: [expectAsRead(snapshot, { partition: P, key: keys[0]! }, found[0])] }
    : readsOf(snapshot, scan ? undefined : keys);
  const seen = Object.fromEntries(keys.map((key, index) => [key, found[index]?.value ?? null]));
  return { conditions, trace: JSON.stringify({ uid, seen, wrote: KEYS[write]! } satisfies Trace) };
}

/** The condition that nothing has changed of what was read; `keys` undefined: all of it. */
function readsOf({ revision, base }: Snapshot, keys: readonly string[] | undefined): Pick<Commit, "reads"> {
  const range = { partition: P, prefix: "", after: undefined, upTo: undefined };
  return {
    reads: {
      revision,
      base,
      keys: new Map(keys === undefined ? [] : [[P, new Set(keys)]]),
      ranges: keys === undefined ? [range] : [],
    },
  };
}

/** Whoever is answered reads his own write (spec/journal §2.7). */
async function assertInForce(node: ModelNode, uid: string, trace: string): Promise<void> {
  const snapshot = await node.replica.snapshot();
  const found = await snapshot.get(TRACES, uid);
  snapshot.release();
  if (found?.value !== trace) node.fault ||= `${uid} was acknowledged before it was in force`;
}

function expected(error: unknown): void {
  if (isErrorCode(error, "outcome_unknown")) return;
  if (!isErrorCode(error, "conflict") && !isErrorCode(error, "unavailable")) throw error;
}
