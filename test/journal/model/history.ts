/** The check of the log, the answers and the copies at the end of a run. */

import { entryName } from "../../../src/journal/engine.ts";
import { readBody } from "../../../src/journal/entry-parts.ts";
import { type Outcome, TRACES, type Trace } from "./client.ts";
import { type Database, type Entry, nameOf } from "./database.ts";
import { isPromised, type ModelNode, type World } from "./model-node.ts";

/** Returns the first thing that is wrong, "" for nothing. */
export async function faultOfHistory(
  world: World,
  outcomes: ReadonlyMap<string, Outcome>,
  nodes: readonly ModelNode[],
): Promise<string> {
  const { database } = world;
  const all = isPromised(world);
  const own = nodes.find(({ fault }) => fault !== "")?.fault ?? (all ? database.fault : "");
  return (
    own ||
    (all ? await faultOfLog(database, outcomes) : "") ||
    (await firstOf(nodes, (node) => faultOfCopy(database, node, all)))
  );
}

async function firstOf<T>(all: readonly T[], faultOf: (one: T) => Promise<string>): Promise<string> {
  for (const one of all) {
    const fault = await faultOf(one);
    if (fault !== "") return fault;
  }
  return "";
}

async function faultOfLog(database: Database, outcomes: ReadonlyMap<string, Outcome>): Promise<string> {
  const { log, lost, engine } = database;
  const floor = await engine.floor();
  const state = new Map<string, string>();
  const committed = new Map<string, number>();
  for (const { head, item, body } of log) {
    const { revision } = head;
    if (revision > floor && (await readBody(engine, head, item)) === undefined)
      return `a part of ${revision} is gone`;
    for (const { uid, seen, wrote } of tracesOf(body)) {
      if (committed.has(uid)) return `${uid} was committed twice`;
      committed.set(uid, revision);
      for (const [key, was] of Object.entries(seen)) {
        const is = state.get(key) ?? null;
        if (is !== was) return `${uid} had seen ${was} in ${key}, the history says ${is}`;
      }
      // Use cases of one entry come in the order of the group: whoever is later must not have read what this one wrote.
      state.set(wrote, uid);
    }
  }
  const excused = new Set(lost.flatMap(({ body }) => tracesOf(body)).map(({ uid }) => uid));
  for (const [uid, { kind, revision }] of outcomes) {
    const at = committed.get(uid);
    if (kind === "acknowledged" && at !== revision && !excused.has(uid))
      return `${uid} was acknowledged as ${revision} and is at ${at}`;
    if (kind === "refused" && at !== undefined) return `${uid} was refused and is there`;
  }
  const next = await engine.read(entryName(Math.max(log.length, floor) + 1));
  return next === undefined ? "" : `an entry stands behind ${log.length} that does not follow it`;
}

function tracesOf(body: Entry["body"]): Trace[] {
  return [...(body?.put ?? [])]
    .filter(({ partition }) => partition === TRACES)
    .map(({ value }) => JSON.parse(value) as Trace);
}

/** The copy has what the entries up to its newest one wrote; a live one has all of them. */
async function faultOfCopy(database: Database, { node, replica, life }: ModelNode, all: boolean) {
  const { log, known } = database;
  if (!life.alive) return "";
  const newest = log.at(-1)?.head.id ?? "";
  // A node whose log is gone keeps its copy, and waits.
  const isMissed = node.log !== "" && node.log !== log[0]?.head.id;
  if (all && !isMissed && node.lastId !== newest)
    return `a copy is at ${node.revision}, the log at ${log.length}`;
  const state = new Map<string, string>();
  const chain: Entry[] = [];
  for (let name = { revision: node.revision, id: node.lastId }; name.id !== ""; ) {
    const entry = known.get(nameOf(name));
    if (entry === undefined) return `a copy has an entry ${name.revision} that never was in the log`;
    chain.unshift(entry);
    name = { revision: name.revision - 1, id: entry.head.prev };
  }
  for (const { head, body } of chain) {
    // A node may have lost parts without being told.
    if (body === undefined) return "";
    for (const { partition, key, value } of body.put)
      state.set(`${partition}/${key}`, `${head.revision} ${value}`);
  }
  let size = 0;
  for await (const page of replica.state().pages) {
    for (const { partition, key, value, version } of page) {
      size += 1;
      if (state.get(`${partition}/${key}`) !== `${version} ${value}`)
        return `a copy at ${node.revision} differs in ${key}`;
    }
  }
  return size === state.size ? "" : "a copy has another number of records";
}
