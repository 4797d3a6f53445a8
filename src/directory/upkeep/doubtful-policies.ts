/**
 * Policies of which an earlier version may have stored a part: until it read every member of a statement (spec/evaluation §11.1), the
 * APIs dropped those that they did not know. What was dropped is nowhere any more; what is left may grant more than was meant.
 * `doubtful-origins.ts` finds who wrote them.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import { bulkPause } from "../../schedule/bulk-pause.ts";
import { DamagedRecord, type Store, withSnapshot } from "../../store/port.ts";
import type { PolicyRecord } from "../records/layout.ts";

/** A policy with statements to be compared with what was meant. */
export interface DoubtfulPolicy {
  readonly policy: string;
  /** Numbers, from 0, of its allows without a condition. */
  readonly statements: readonly number[];
  /** All its statements. */
  readonly document: readonly Statement[];
  /** Revision of the entry that wrote it. */
  readonly revision: number;
}

const PAGE = 1_000;

/**
 * The policies in the order of their names. Those of data sets are none of them: files were always read whole. Nor are those
 * that this version has written, or that are as they are shipped. Ends before a record that is damaged, which a check of the store names.
 */
export async function doubtfulPolicies(
  store: Store,
  shipped: readonly NamedStatements[],
): Promise<readonly DoubtfulPolicy[]> {
  const known = new Set(shipped.map(({ name, statement }) => textOf(name, statement)));
  return withSnapshot(store, async (snapshot) => {
    const found: DoubtfulPolicy[] = [];
    const pause = bulkPause();
    try {
      for (let after: string | undefined; ; ) {
        const page = await snapshot.scan("policy", { limit: PAGE, ...(after !== undefined && { after }) });
        for (const { key, value, version } of page) {
          const seen = doubtful(key, value, known);
          if (seen !== undefined) found.push({ policy: key, ...seen, revision: Number(version) });
        }
        after = page.at(-1)?.key;
        if (page.length < PAGE || after === undefined) return found;
        await pause();
      }
    } catch (error) {
      if (error instanceof DamagedRecord) return found;
      throw error;
    }
  });
}

/** A text that is equal for equal policies. */
function textOf(name: string, statements: readonly Statement[]): string {
  const parts = statements.map(({ sid, effect, action, resource, condition }) => [
    sid ?? null,
    effect,
    action,
    resource,
    condition ?? null,
  ]);
  return JSON.stringify([name, parts]);
}

function doubtful(
  name: string,
  value: string,
  shipped: ReadonlySet<string>,
): Pick<DoubtfulPolicy, "statements" | "document"> | undefined {
  let record: Partial<PolicyRecord>;
  try {
    record = parseJsonText(value) as Partial<PolicyRecord>;
  } catch {
    return undefined;
  }
  const { whole, managed, statement } = record;
  if (whole === true || managed === true || !Array.isArray(statement)) return undefined;
  const document = statement as readonly Statement[];
  if (shipped.has(textOf(name, document))) return undefined;
  const statements = document.flatMap((one, index) =>
    one.effect === "allow" && Object.keys(one.condition ?? {}).length === 0 ? [index] : [],
  );
  return statements.length === 0 ? undefined : { statements, document };
}
