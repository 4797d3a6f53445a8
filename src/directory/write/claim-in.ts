/** The claim of a one-time token, as part of a write. */

import type { BesideWrites } from "../beside.ts";
import { EMPTY, expiryKey } from "../records/layout.ts";
import type { Transaction } from "./transaction.ts";

/** Claims a token in a transaction; false where it has been claimed. */
export async function claimIn(
  tx: Transaction,
  { tokenId, expiresAt }: BesideWrites["claim"],
  said?: string,
): Promise<boolean> {
  if ((await tx.get("claim", tokenId)) !== undefined) return false;
  tx.put("claim", tokenId, { expires_at: expiresAt, ...(said !== undefined && { said }) });
  tx.put("claim_expiry", expiryKey(expiresAt, tokenId), EMPTY);
  return true;
}
