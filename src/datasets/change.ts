/** The changes of a plan, for people and for scripts. */

/** The action on an entity. `keep`: it differs from the data set and stays as it is (`load`). */
export type ChangeAction = "add" | "change" | "remove" | "keep";

/** The kind of a changed entity. */
export type ChangeKind =
  | "user"
  | "group"
  | "policy"
  | "membership"
  | "attachment"
  | "credential"
  | "principal"
  | "resource type"
  | "resource";

/** One difference between the data sets and the directory. Never holds a secret. */
export interface Change {
  readonly action: ChangeAction;
  readonly kind: ChangeKind;
  /** The changed entity: `alice`, `alice in Developers`, `OwnThings to user alice`. */
  readonly name: string;
  /** The fields that differ, for "change" and "keep". */
  readonly fields?: readonly string[];
}

/** Number of changes by action. */
export type ChangeCounts = Readonly<Record<ChangeAction, number>>;

const SIGN: Readonly<Record<ChangeAction, string>> = { add: "+", change: "~", remove: "-", keep: "=" };

/**
 * One line of a diff: `+ user alice`, `~ policy OwnThings (statement)`, `= user bob (kept, differs in: email)`,
 * `= attachment FSReadAll to group Viewers (stays detached)`.
 */
export function formatChange(change: Change): string {
  const { action, kind, name, fields = [] } = change;
  const list = fields.join(", ");
  const kept = kind === "attachment" ? " (stays detached)" : ` (kept, differs in: ${list})`;
  const detail = action === "keep" ? kept : list === "" ? "" : ` (${list})`;
  return `${SIGN[action]} ${kind} ${name}${detail}`;
}
