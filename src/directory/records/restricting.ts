/** Records that restrict by what programs of version 0.2 do not know: they let pass what these end (spec/journal §4.9). */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { RecordPut } from "../../store/port.ts";
import type { KeyRecord, UserRecord } from "./layout.ts";

/** True for a record that only programs of format 2 of the log obey: an inactive user, one of the service itself, a key that ends. */
export function restrictsAnew({ partition, value }: RecordPut): boolean {
  if (partition === "user") {
    const { inactive, works_for } = parseJsonText(value) as UserRecord;
    return inactive === true || works_for !== undefined;
  }
  return partition === "key" && (parseJsonText(value) as KeyRecord).expires_at !== undefined;
}
