/** One run of the protocol under a schedule, and what is wrong with its history. */

import { type Outcome, runClient, type UseCase } from "./client.ts";
import { Database } from "./database.ts";
import { faultOfHistory } from "./history.ts";
import { isPromised, ModelNode, STEP_MS, type World } from "./model-node.ts";
import { Schedule } from "./schedule.ts";

/** The actions of a run. */
export interface Run {
  /** For each node, for each of its clients, its use cases. */
  readonly nodes: readonly (readonly (readonly UseCase[])[])[];
  readonly choices: readonly number[];
}

const CARRIED_IDS = [10_000, 10_000, 12, 3, 2];
const ROOMY = { entry: 6_000, part: 200 };
const NARROW = { entry: 1_400, part: 200 };

/** Runs a schedule. Returns what is wrong with the history, "" for nothing. */
export async function faultOf(run: Run): Promise<string> {
  const world = worldOf(new Schedule(run.choices));
  const { schedule } = world;
  const outcomes = new Map<string, Outcome>();
  const nodes = run.nodes.map(() => new ModelNode(world, world.isSilent && schedule.choose(2) === 1));
  const failures: unknown[] = [];
  const start = (work: Promise<void>): void => {
    work.catch((error: unknown) => failures.push(error));
  };
  for (const [index, clients] of run.nodes.entries()) {
    const node = nodes[index]!;
    for (const [client, useCases] of clients.entries())
      start(runClient(node, `${index}-${client}`, useCases, outcomes));
    start(node.follow(4));
    if (schedule.choose(2) === 0) start(node.trim());
    if (schedule.rarely(6)) {
      const isForGood = schedule.choose(2) === 0;
      start(
        kill(node).then(async () => {
          if (isForGood) return;
          await schedule.wait(100);
          const again = new ModelNode(world, node.connection.isSilent, node);
          nodes.push(again);
          start(runClient(again, `${index}-again`, clients[0]!, outcomes));
          await again.follow(4);
        }),
      );
    }
  }
  if (schedule.rarely(3)) start(loseEntries(world, nodes));
  // A log that was lost without a word may have come to an end for ever.
  if (!(await schedule.run()) && isPromised(world)) return "does not end";
  // Whoever lives catches up, without further failures.
  schedule.calm();
  for (const node of nodes) if (node.life.alive) start(node.follow(3));
  if (!(await schedule.run()) && isPromised(world)) return "does not end";
  if (failures.length > 0) return `threw ${String(failures[0])}`;
  return faultOfHistory(world, outcomes, nodes);
}

function worldOf(schedule: Schedule): World {
  return {
    schedule,
    database: new Database(schedule, schedule.choose(2) === 0 ? ROOMY : NARROW),
    carriedIds: CARRIED_IDS[schedule.choose(CARRIED_IDS.length)]!,
    isSilent: schedule.rarely(8),
    isSession: schedule.rarely(8),
    keepMs: schedule.choose(2) * 100 * STEP_MS,
  };
}

async function kill(node: ModelNode): Promise<void> {
  await node.world.schedule.wait(300);
  node.life.alive = false;
}

/** The database is put back to an earlier moment, often while the log is trimmed. Its connections break, which nodes notice in one way or the other. One whose reads may lag is not put back. */
async function loseEntries(
  { schedule, database, isSession }: World,
  nodes: readonly ModelNode[],
): Promise<void> {
  if (isSession) return;
  await schedule.wait(200);
  const backup = await database.backUp();
  await schedule.wait(100);
  if (schedule.choose(2) === 1) {
    for (let left = 300; left > 0 && !nodes.some(({ isTrimming }) => isTrimming); left--)
      await schedule.step();
    await schedule.wait(12);
  }
  database.restore(backup);
  for (const { node, connection } of nodes) {
    if (connection.isSilent) continue;
    if (schedule.choose(2) === 0) node.doubt();
    else connection.isBroken = true;
  }
}
