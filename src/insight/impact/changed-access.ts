/** The differences that comparisons find, in the form of answers. */

import type { AccessDifference, DifferenceLine } from "@svc-authorizer/policy/analysis/difference/line.ts";
import type { ChangedAccess, Changes, ConcernedAccess } from "./access-change.ts";
import type { UserClass } from "./user-classes.ts";

/** Most gains, and most losses, of an answer. */
const MOST_CHANGES = 200;
/** Most names of users of a change. */
const MOST_NAMES = 20;

/** Gains and losses of a comparison. */
export function changesOf({ gains, losses }: AccessDifference): Changes<ChangedAccess> {
  return {
    gains: gains.map((line) => changedAccess(line, false)),
    losses: losses.map((line) => changedAccess(line, true)),
  };
}

/** @param isLoss true if the line is lost */
function changedAccess(line: DifferenceLine, isLoss: boolean): ChangedAccess {
  const { certainty, example, allowedBy, deniedBy, refused, kind } = line;
  const other = refused ?? (deniedBy.length === 0 ? "neutral" : "deny");
  const [statement] = allowedBy;
  const [denying] = deniedBy;
  return {
    ...(example === undefined ? {} : { action: example.action, resource: example.resource }),
    line,
    anyResource: kind === "list",
    context: example?.context ?? {},
    certain: certainty === "certain",
    before: isLoss ? "allow" : other,
    after: isLoss ? other : "allow",
    ...(statement === undefined ? {} : { statement }),
    ...(denying === undefined ? {} : { deniedBy: denying }),
  };
}

/** Changes of several classes of users, equal ones as one. */
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

/** A text that is equal for equal lines, whatever their examples. */
function keyOf({ line: { example: _, refused, ...line } }: ChangedAccess): string {
  return JSON.stringify([line, refused ?? null]);
}
