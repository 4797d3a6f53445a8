/** Records that another folder commits together with a write of the directory. */

import type { Commit, Snapshot } from "../store/port.ts";

/** Records beside those of a write. */
export interface BesideWrites extends Pick<Commit, "expect" | "put"> {
  /** A token that is used up, as `tokenClaims.claim` does; "not_found" where it was. */
  readonly claim: { readonly tokenId: string; readonly expiresAt: number };
}

/** Reads the state of each attempt, and returns what is written beside it; throws where nothing may be written. */
export type Beside = (snapshot: Snapshot) => Promise<BesideWrites>;
