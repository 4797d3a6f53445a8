/**
 * Opens copies of a store in which a bit is another or which are cut, reads all of each and writes to it: `<folder>
 * <seed> <count>`. Prints how each ended. Where LMDB met what it does not expect, this process would end by a signal.
 */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { checkConsistency } from "../../../src/directory/upkeep/check-store.ts";
import { openLocalStore } from "../../../src/store/local/local-store.ts";
import type { Store } from "../../../src/store/port.ts";

const [folder = "", seed = "1", count = "100"] = process.argv.slice(2);
const whole = readFileSync(join(folder, "data.mdb"));
const PAGE = 4096;

/** Numbers from 0 to `below` that a seed gives. */
function numbersOf(from: number): (below: number) => number {
  let state = from;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Places that matter most come more often: what describes the file, and the beginnings of pages. */
function placeOf(next: (below: number) => number): number {
  const kind = next(3);
  if (kind === 0) return next(2) * PAGE + next(160);
  if (kind === 1) return next(whole.length / PAGE) * PAGE + next(100);
  return next(whole.length);
}

async function tryOne(path: string): Promise<string> {
  let store: Store;
  try {
    store = await openLocalStore({ path, syncWrites: false, keepMs: 1 });
  } catch (error) {
    if (error instanceof AuthorizerError && error.code === "unavailable") return "refused";
    throw error;
  }
  const findings = await checkConsistency(store);
  const isDamaged = findings.some(({ kind }) => kind === "damaged");
  try {
    for (let size = 0; size < 6_000; size += 1_000) {
      const value = JSON.stringify({ text: "v".repeat(size) });
      await store.commit({ put: [{ partition: "resource_type", key: `new-${size}`, value }] });
    }
  } catch (error) {
    // What it would replace may be damaged.
    if (!(error instanceof AuthorizerError)) throw error;
  }
  await store.close();
  return isDamaged ? "damaged" : "opened";
}

const next = numbersOf(Number(seed));
const ends = new Map<string, number>();
const parent = mkdtempSync(join(tmpdir(), "open-damaged-"));
for (let index = 0; index < Number(count); index++) {
  const path = join(parent, String(index));
  mkdirSync(path);
  const bytes = Buffer.from(whole);
  const isCut = index % 8 === 7;
  if (!isCut) bytes[placeOf(next)]! ^= 1 << next(8);
  writeFileSync(join(path, "data.mdb"), isCut ? bytes.subarray(0, next(whole.length)) : bytes);
  const end = `${isCut ? "cut" : "changed"}: ${await tryOne(path)}`;
  ends.set(end, (ends.get(end) ?? 0) + 1);
  rmSync(path, { recursive: true });
}
rmSync(parent, { recursive: true });
process.stdout.write(`${JSON.stringify(Object.fromEntries(ends))}\n`);
