/**
 * The time since when a node records decisions as it does now, in `recorded-<node>.json` beside its chains: whoever learns
 * from records has to know whether those that lack were never written.
 */

import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { DecisionLogSettings } from "./settings.ts";

const MODE = 0o600;

/** The settings that say which decisions have a record, and what of them is readable. */
type RecordedAs = Pick<DecisionLogSettings, "directory" | "node" | "include" | "mask">;

interface Noted {
  readonly how?: unknown;
  readonly since?: unknown;
}

/**
 * Notes how a node records from now on.
 * @param now Unix milliseconds
 * @returns Unix milliseconds: since when it has recorded like that; now where nobody noted it before
 * @throws the error of the file system
 */
export function noteRecording({ directory, node, include, mask }: RecordedAs, now: number): number {
  const how = JSON.stringify([include, mask]);
  const file = fileOf(directory, node);
  const noted = readNoted(file);
  if (noted.how === how && typeof noted.since === "number") return noted.since;
  writeFileSync(`${file}.new`, `${JSON.stringify({ how, since: now } satisfies Noted)}\n`, { mode: MODE });
  renameSync(`${file}.new`, file);
  return now;
}

/** Notes that a node records nothing. Throws the error of the file system. */
export function noteNoRecording(directory: string, node: string): void {
  rmSync(fileOf(directory, node), { force: true });
}

function fileOf(directory: string, node: string): string {
  return join(directory, `recorded-${node}.json`);
}

/** Nothing where it is absent or damaged: then it is not known. */
function readNoted(file: string): Noted {
  try {
    const noted = parseJsonText(readFileSync(file, "utf8"));
    return typeof noted === "object" && noted !== null ? noted : {};
  } catch {
    return {};
  }
}
