/** Writes whose outcome is not known are audited as such (spec/journal §2.5, spec/security §5.2). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Answer, Caller, RawCall } from "../../http/route.ts";
import { pathValues } from "./operation.ts";
import type { AuditedFields } from "./ports.ts";

/** The field of an event that says that nobody knows whether its write happened. */
const UNKNOWN: AuditedFields = { outcome: "unknown" };

/** Fields of events by the path parameter that has their values. */
const FIELDS_OF_PATH: ReadonlyMap<string, string> = new Map([
  ["userId", "user"],
  ["groupId", "group"],
  ["policyId", "policy"],
  ["accessKeyId", "access_key_id"],
  ["scimId", "id"],
]);

/** An operation that may write. */
interface WritingOperation<C extends Caller> {
  readonly id: string;
  readonly path: string;
  /** The names of what a call writes, beside those in its path; no secrets. Called only if the outcome is unknown. */
  readonly names?: ((call: RawCall<C>) => AuditedFields | Promise<AuditedFields>) | undefined;
  readonly handle: (call: RawCall<C>) => Answer | Promise<Answer>;
}

/**
 * Runs a write, which audits itself where it is committed.
 * @param record audits that the outcome is not known; the event has these fields too
 * @throws what the write throws
 */
export async function auditingUnknown<T>(
  write: () => T | Promise<T>,
  record: (outcome: AuditedFields) => void | Promise<void>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isErrorCode(error, "outcome_unknown")) await record(UNKNOWN);
    throw error;
  }
}

/**
 * Returns the handler of an operation that audits calls whose outcome is not known, under the name and with the names that a
 * committed one has.
 * @param wrote audits a write
 */
export function auditedHandler<C extends Caller>(
  { id, path, names, handle }: WritingOperation<C>,
  wrote: (call: RawCall<C>, operation: string, fields: AuditedFields) => void,
): (call: RawCall<C>) => Promise<Answer> {
  return (call) =>
    auditingUnknown(
      () => handle(call),
      async (outcome) => {
        const fields = { ...namesInPath(path, call.params), ...(await namesOrNone(names, call)) };
        wrote(call, id, { ...fields, ...outcome });
      },
    );
}

function namesInPath(path: string, params: readonly string[]): AuditedFields {
  const named = [...pathValues(path, params)].flatMap(([name, value]) => {
    const field = FIELDS_OF_PATH.get(name);
    return field === undefined ? [] : [[field, value] as const];
  });
  return Object.fromEntries(named);
}

/** The names. If they cannot be found the event goes without them, for the call is audited in any case. */
async function namesOrNone<C extends Caller>(
  names: WritingOperation<C>["names"],
  call: RawCall<C>,
): Promise<AuditedFields> {
  try {
    return (await names?.(call)) ?? {};
  } catch {
    return {};
  }
}
