/** Names of policies that the service makes itself, and that nobody may store. */

/** Denies writes to mirrors (spec/mirroring §10). */
export const MIRROR_RULE = "mirror_is_read_only";
