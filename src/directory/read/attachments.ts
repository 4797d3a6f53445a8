/** Attachments of policies, as they are stored with a holder. */

import { under } from "../records/layout.ts";
import type { Found, StateReader } from "./reader.ts";

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

/**
 * The attachments of a holder, in the order of their names.
 * @param most from more on, no further page is read
 */
export async function readAttachments(
  reader: StateReader,
  partition: AttachmentPartition,
  holder: string,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly PolicyAttachment[]> {
  const attachments: PolicyAttachment[] = [];
  for await (const page of reader.scanAll(partition, under(holder, ""))) {
    for (const one of page) attachments.push(attachmentOf(holder, one));
    if (attachments.length > most) break;
  }
  return attachments;
}
