/** The questions that a record answers, to be decided again. */

import {
  type ConditionFields,
  type Effect,
  type FieldValue,
  type RequiredPermissions,
  UNREADABLE,
} from "../model/decision.ts";
import { isMask } from "./digests.ts";
import type { LoggedDecision, LoggedFields, LoggedStatement, LoggedSubject } from "./record.ts";

/** One decision of a record. */
export interface RecordedQuestion {
  /** null for nobody. */
  readonly user: string | null;
  /** Revision of the directory on which it was decided. */
  readonly revision: number;
  /** The groups whose policies decided, where the directory did not know the user. */
  readonly groups?: readonly string[];
  readonly required: RequiredPermissions;
  readonly context: ConditionFields;
  readonly effect: Effect;
  readonly determining: readonly LoggedStatement[];
  /** The reason why no policies could decide, whichever they were. */
  readonly error?: string;
}

/** Entrances whose records are about what might be, or list what was found: nobody acted on them. */
const HYPOTHETICAL: ReadonlySet<string> = new Set(["simulate", "search", "plan", "who_can", "what_can"]);

/** True for a record on which nobody acted. */
export function isHypothetical({ entrance }: LoggedDecision): boolean {
  return HYPOTHETICAL.has(entrance);
}

/** Errors of a user whom the directory did not know: another one may. */
const UNKNOWN_USER: ReadonlySet<string> = new Set(["unknown user", "unknown_user"]);

/** The part of a decision that says whether policies decided. */
type Evaluated = Pick<RecordedQuestion, "effect" | "determining" | "error">;

/** The error of a decision that no policies made, nor others would make. */
function lastingError({ effect, determining, error }: Evaluated): string | undefined {
  const isEvaluated = determining.length > 0 || effect !== "neutral";
  return error === undefined || isEvaluated || UNKNOWN_USER.has(error) ? undefined : error;
}

/** Returns the decisions of a record; none where nothing was required, or where a record of one decision has an error. */
export function questionsOf(record: LoggedDecision): readonly RecordedQuestion[] {
  const { subject, action, resource, required, context, effect, determining } = record;
  if (record.items !== undefined) {
    return record.items.flatMap((item) => {
      const about = item.subject ?? subject;
      const verb = item.action ?? action;
      if (verb === undefined) return [];
      const failed = lastingError({ effect: "allow", ...item });
      return [
        {
          ...whoOf(about),
          revision: item.revision ?? record.revision,
          required: { action: verb, resource: item.resource.arn },
          context: fieldsOf(
            about,
            item.subject === undefined && item.context === undefined ? context : item.context,
          ),
          effect: item.effect ?? "allow",
          determining: item.determining,
          ...(failed !== undefined && { error: failed }),
        },
      ];
    });
  }
  const tree =
    required ??
    (action === undefined || resource === undefined ? undefined : { action, resource: resource.arn });
  if (tree === undefined || lastingError(record) !== undefined) return [];
  const fields = fieldsOf(subject, context);
  const { revision } = record;
  return [{ ...whoOf(subject), revision, required: tree, context: fields, effect, determining }];
}

/** True where the user, a group or the permission is masked: nothing can be decided about it again. */
export function isMasked({ user, groups = [], required }: RecordedQuestion): boolean {
  return isMask(user) || groups.some(isMask) || hasMask(required);
}

/** True where the value of a condition field is masked, or one of a list of values. */
export function isMaskedField({ context }: Pick<RecordedQuestion, "context">, field: string): boolean {
  const value = context.get(field);
  return Array.isArray(value) ? value.some(isMask) : isMask(value);
}

function hasMask(required: RequiredPermissions): boolean {
  if ("action" in required) return isMask(required.action) || isMask(required.resource);
  if ("any_resource" in required) return isMask(required.any_resource.action);
  return ("and" in required ? required.and : required.or).some(hasMask);
}

function whoOf({ id, asserted }: LoggedSubject): Pick<RecordedQuestion, "user" | "groups"> {
  return { user: id, ...(asserted && { groups: asserted.groups }) };
}

/** The condition fields of a record. */
function fieldsOf({ properties = {} }: LoggedSubject, context: LoggedFields = {}): ConditionFields {
  const fields = new Map<string, FieldValue>();
  for (const [name, value] of Object.entries(context)) fields.set(name, value ?? UNREADABLE);
  for (const [name, value] of Object.entries(properties)) fields.set(`subject.${name}`, value ?? UNREADABLE);
  return fields;
}
