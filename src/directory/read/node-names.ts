/** Names of the nodes that share a store, as each told when it started. */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type Store, withSnapshot } from "../../store/port.ts";
import type { MetaRecord } from "../records/layout.ts";
import { NODES } from "../records/sealing.ts";
import { scanInParts } from "./in-parts.ts";

/** Most nodes that are looked at. */
const MOST_NODES = 10_000;

/**
 * Returns the names of the nodes that have started and not stopped, also of such that were killed; sorted, each once.
 * undefined stands for nodes of a version that tells no name. Empty for a store that nobody shares.
 */
export async function nodeNames(store: Store): Promise<readonly (string | undefined)[]> {
  const found = await withSnapshot(store, (snapshot) =>
    scanInParts(snapshot, "meta", { prefix: NODES, limit: MOST_NODES }),
  );
  const names = new Set(found.map(({ value }) => (parseJsonText(value) as MetaRecord).name));
  return [...names].sort();
}
