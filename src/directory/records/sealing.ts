/** The key that seals secrets, as the log says it, and the keys that nodes hold (spec/journal §4.10). */

/** Key of the record in `meta` that names the key that seals. */
export const SEALING = "sealing";

/** Beginning of the keys in `meta` of nodes that run. */
export const NODES = "node/";
