/**
 * The origin of policies of which an earlier version may have stored a part, as far as the log of the store is kept: who
 * wrote them, and earlier versions in which a statement had a condition that it lacks now. The members that were dropped
 * are in no entry: entries have what was stored.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { Condition, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { DamagedRecord, type Store } from "../../store/port.ts";
import type { PolicyRecord } from "../records/layout.ts";
import type { DoubtfulPolicy } from "./doubtful-policies.ts";

/** A condition that a statement had once. */
interface FormerCondition {
  /** Number of the statement now, from 0. */
  readonly statement: number;
  /** Revision of the entry that wrote the version with the condition. */
  readonly revision: number;
  readonly condition: Condition;
}

/** A doubtful policy with what is known of how it was written. */
export interface DoubtfulOrigin extends DoubtfulPolicy {
  /** Time of the entry, RFC 3339; undefined where the entry is no longer kept. */
  readonly at: string | undefined;
  /** Names of those who asked for it; empty also where it is not known. */
  readonly actors: readonly string[];
  /** The newest of each statement, among the versions that were read. */
  readonly former: readonly FormerCondition[];
}

/** Most entries about one policy that are read. */
const MOST_ENTRIES = 100;
const PARTITION = "policy";

/** Adds what the log knows. Costs up to {@link MOST_ENTRIES} reads for each policy. */
export async function doubtfulOrigins(
  store: Store,
  policies: readonly DoubtfulPolicy[],
): Promise<readonly DoubtfulOrigin[]> {
  const pause = bulkPause();
  const found: DoubtfulOrigin[] = [];
  for (const one of policies) {
    found.push(await originOf(store, one));
    await pause();
  }
  return found;
}

async function originOf(store: Store, doubtful: DoubtfulPolicy): Promise<DoubtfulOrigin> {
  const { policy, revision } = doubtful;
  const thing = { kind: "policy", name: policy } as const;
  const entries = await store.history.about(thing, revision + 1, MOST_ENTRIES);
  const writer = entries.find((entry) => entry.revision === revision);
  const asked = writer?.useCases.filter(
    ({ touched }) => touched?.all === true || touched?.policies?.includes(policy) === true,
  );
  const versions: Version[] = [];
  for (const entry of entries) {
    const write = await store.history.writeOf(entry.revision, { partition: PARTITION, key: policy });
    if (write?.value !== undefined) versions.push({ revision: entry.revision, value: write.value });
  }
  const oldest = await recordAtStart(store, policy);
  if (oldest !== undefined) versions.push(oldest);
  return {
    ...doubtful,
    at: writer?.at,
    actors: [...new Set(asked?.flatMap(({ actor }) => actor ?? []))],
    former: formerConditions(doubtful, versions),
  };
}

interface Version {
  readonly revision: number;
  readonly value: string;
}

/** The version in the oldest state that is kept. */
async function recordAtStart(store: Store, policy: string): Promise<Version | undefined> {
  try {
    const from = await store.history.keptFrom();
    const stored = await store.history.recordAt(from, { partition: PARTITION, key: policy });
    return stored && { revision: Number(stored.version), value: stored.value };
  } catch (error) {
    // Nothing more is known of a damaged or trimmed past; `check-store` names damage.
    if (error instanceof DamagedRecord) return undefined;
    if (error instanceof Error && "code" in error && error.code === "not_found") return undefined;
    throw error;
  }
}

function formerConditions(
  { statements }: DoubtfulPolicy,
  versions: readonly Version[],
): readonly FormerCondition[] {
  const [now, ...before] = versions.map(({ revision, value }) => ({
    revision,
    statements: statementsIn(value),
  }));
  if (now === undefined) return [];
  return statements.flatMap((statement) => {
    const grant = grantOf(now.statements[statement]);
    for (const version of before) {
      const same = version.statements.filter((one) => grantOf(one) === grant);
      const condition = same.find((one) => Object.keys(one.condition ?? {}).length > 0)?.condition;
      if (condition !== undefined && condition !== null)
        return [{ statement, revision: version.revision, condition }];
    }
    return [];
  });
}

function statementsIn(value: string): readonly Statement[] {
  try {
    const { statement } = parseJsonText(value) as Partial<PolicyRecord>;
    return Array.isArray(statement) ? statement : [];
  } catch {
    return [];
  }
}

/** A text that is equal for statements that say the same but for their conditions. */
function grantOf(statement: Statement | undefined): string {
  return JSON.stringify([statement?.effect, statement?.action, statement?.resource]);
}
