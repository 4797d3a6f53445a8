/** Attachments of policies, as they are stored with a holder. */

import { under } from "../records/layout.ts";
import type { Found } from "./reader.ts";

/** The partitions of attachments, by users and by groups. */
export type AttachmentPartition = "user_policy" | "group_policy";

/** A policy that a holder has: by its id, and by the name that it had. Void once the name has another id. */
export interface PolicyAttachment {
  readonly id: string;
  readonly name: string;
}

/** An attachment of a holder, by the holder's id, as it was found. */
export function attachmentOf(holder: string, { key, record }: Found<AttachmentPartition>): PolicyAttachment {
  return { id: record.id, name: key.slice(under(holder, "").length) };
}
