/** A binary search for the commit that introduced a fault: its state between two commands. */

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { homeOf } from "@svc-authorizer/commands/environment.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { JsonObject } from "../api/api-client.ts";
import { isObject } from "../api/pages.ts";
import type { CommandContext } from "../command-context.ts";
import { textField } from "../output/fields.ts";
import { writeWhole } from "../whole-file.ts";

/** The state. */
export interface BisectState {
  readonly created: string;
  readonly repository: string;
  readonly badCommit: string;
  readonly goodCommit: string;
  /** From the newest one that is known to be bad to the oldest that may be: the first bad one is among them. */
  readonly commits: readonly JsonObject[];
}

/** The result of a test of a commit. */
export type Verdict = "good" | "bad";

/** Reads the state. Throws an Error when no search was started. */
export async function loadState(context: CommandContext): Promise<BisectState> {
  let text: string;
  try {
    text = await readFile(fileOf(context), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    throw new Error('You need to start by "bisect start"', { cause: error });
  }
  const state: unknown = JSON.parse(text);
  if (!isObject(state)) throw new Error(`${fileOf(context)}: no state of a search`);
  const commits = Array.isArray(state["commits"]) ? state["commits"].filter(isObject) : [];
  return {
    created: textField(state, "created"),
    repository: textField(state, "repository"),
    badCommit: textField(state, "badCommit"),
    goodCommit: textField(state, "goodCommit"),
    commits,
  };
}

/** Keeps the state. */
export async function saveState(context: CommandContext, state: BisectState): Promise<void> {
  await writeWhole(fileOf(context), `${JSON.stringify(state)}\n`, 0o600);
}

/** Forgets the state. Returns false where there was none. */
export async function removeState(context: CommandContext): Promise<boolean> {
  try {
    await rm(fileOf(context));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return false;
  }
}

function fileOf({ env }: CommandContext): string {
  return join(homeOf(env), ".svcctl.bisect.json");
}

/** The commit to test next: the one in the middle. Undefined where one or none is left. */
export function commitToTest({ commits }: BisectState): JsonObject | undefined {
  return commits.length > 1 ? commits[middle(commits)] : undefined;
}

/** The state after a test of that commit: a good one is older than the fault, a bad one may have it. */
export function afterTest(state: BisectState, verdict: Verdict): BisectState {
  const { commits } = state;
  if (commits.length <= 1) return state;
  const at = middle(commits);
  return { ...state, commits: verdict === "good" ? commits.slice(0, at) : commits.slice(at) };
}

function middle(commits: readonly JsonObject[]): number {
  return Math.floor(commits.length / 2);
}

/** The lines that each command prints. */
export function statusText(state: BisectState): string {
  const { repository, commits } = state;
  const lines = [`Repository: ${safeText(repository)}`];
  const next = commitToTest(state);
  const [only] = commits;
  if (only === undefined) lines.push("No commits found");
  else if (next === undefined) lines.push(`Found commit ${commitLine(repository, only)}`);
  else {
    const steps = Math.floor(Math.log2(commits.length));
    const left = middle(commits) - 1;
    lines.push(`Bisecting: ${left} commits left to test after this (roughly ${steps} steps)`);
    lines.push(`Current commit ${commitLine(repository, next)}`);
  }
  return `${lines.join("\n")}\n`;
}

function commitLine(repository: string, commit: JsonObject): string {
  const uri = safeText(`svc://${repository}/${textField(commit, "id")}`);
  return `${uri} ${safeText(textField(commit, "message"))}`;
}
