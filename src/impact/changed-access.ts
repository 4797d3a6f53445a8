/** The differences that comparisons find, in the form of answers. */

import type { CompareResult } from "../analysis/threads/policy-jobs.ts";
import type { ChangedAccess, Changes, ConcernedAccess } from "./access-change.ts";
import type { UserClass } from "./user-classes.ts";

type Difference = CompareResult["wider"][number];

/** Most gains, and most losses, of an answer. */
const MOST_CHANGES = 100;
/** Most names of users of a change. */
const MOST_NAMES = 20;

/** Gains and losses of a comparison. */
export function changesOf({ wider, narrower }: CompareResult): Changes<ChangedAccess> {
  return {
    gains: wider.map((one) => changedAccess(one, false)),
    losses: narrower.map((one) => changedAccess(one, true)),
  };
}

/** @param isLoss true if the difference was found with both sides exchanged */
function changedAccess(found: Difference, isLoss: boolean): ChangedAccess {
  const { certainty, counterexample, point, allowedBy, deniedBy } = found;
  const required = counterexample?.required ?? point;
  const isGate = required === undefined ? found.cause === "list" : "any_resource" in required;
  const other = counterexample?.before ?? (deniedBy === undefined ? "neutral" : "deny");
  return {
    ...(required !== undefined && "action" in required
      ? { action: required.action, resource: required.resource }
      : {}),
    ...(required !== undefined && "any_resource" in required ? { action: required.any_resource.action } : {}),
    anyResource: isGate,
    context: counterexample?.context ?? {},
    certain: certainty === "certain",
    before: isLoss ? "allow" : other,
    after: isLoss ? other : "allow",
    statement: allowedBy,
    ...(deniedBy === undefined ? {} : { deniedBy }),
  };
}

/** Changes of several classes of users, those of the same statement as one. */
export class MergedChanges {
  readonly #gains = new Map<string, ConcernedAccess>();
  readonly #losses = new Map<string, ConcernedAccess>();
  /** True if there are more changes than are kept. */
  isFull = false;
  gaining = 0;
  losing = 0;

  /** Adds what a comparison found for a class; the examples of classes that were added before win. */
  add(users: UserClass, { gains, losses }: Changes<ChangedAccess>): void {
    this.#addAll(this.#gains, users, gains);
    this.#addAll(this.#losses, users, losses);
    if (gains.length > 0) this.gaining += users.users;
    if (losses.length > 0) this.losing += users.users;
  }

  /** All of them, those of most users first. */
  get all(): Changes<ConcernedAccess> {
    const sorted = (found: ReadonlyMap<string, ConcernedAccess>) =>
      [...found.values()].sort((a, b) => b.users - a.users);
    return { gains: sorted(this.#gains), losses: sorted(this.#losses) };
  }

  #addAll(found: Map<string, ConcernedAccess>, users: UserClass, changes: readonly ChangedAccess[]): void {
    const keys = new Set<string>();
    for (const one of changes) {
      const key = keyOf(one);
      // Users count once for each statement, however many examples of it there are.
      if (!keys.has(key)) this.#put(found, key, users, one);
      keys.add(key);
    }
  }

  #put(
    found: Map<string, ConcernedAccess>,
    key: string,
    { users, some, user, via }: UserClass,
    one: ChangedAccess,
  ): void {
    const known = found.get(key);
    if (known !== undefined) {
      const names = [...known.some, ...some].slice(0, MOST_NAMES);
      found.set(key, { ...known, users: known.users + users, some: names });
    } else if (found.size < MOST_CHANGES) found.set(key, { ...one, users, some, user, via });
    else this.isFull = true;
  }
}

function keyOf({ statement, deniedBy, anyResource, certain }: ChangedAccess): string {
  return JSON.stringify([statement, deniedBy ?? null, anyResource, certain]);
}
