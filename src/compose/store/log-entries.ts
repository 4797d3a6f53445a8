/** Reads the log of the configured store for people. The service need not run, and a local store must not be in use. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { CommittedChange, Store, Touched } from "../../store/port.ts";
import { mergeTouched } from "../../store/use-cases.ts";
import { withOfflineStoreToRead } from "./offline-store.ts";

/** An entry of the log, as people read it. */
export interface ListedEntry {
  readonly revision: number;
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly node: string;
  /** Names of those who asked for it. */
  readonly actors: readonly string[];
  /** The things that it touched, by name. */
  readonly change: Touched;
}

/** A part of the log, oldest first. */
export interface ListedEntries {
  readonly entries: readonly ListedEntry[];
  /** The oldest revision whose state can be read. */
  readonly kept_from: number;
  readonly newest: number;
}

/** Names a part of the log. */
interface ListRange {
  /** Only entries with higher revisions; absent: the newest ones. */
  readonly after?: number;
  readonly limit: number;
}

const PAGE = 500;

/**
 * Lists entries of the configured store.
 * @throws AuthorizerError "invalid_request" for entries that are no longer kept, and as {@link withOfflineStoreToRead}
 */
export function listEntries(values: ConfigValues, range: ListRange): Promise<ListedEntries> {
  return withOfflineStoreToRead(values, (store) => readEntries(store, range));
}

async function readEntries(store: Store, { after, limit }: ListRange): Promise<ListedEntries> {
  const { history } = store;
  const newest = history.head.revision;
  const keptFrom = await history.keptFrom();
  // A migrated store still has the entry that stands for its first state.
  const oldest = keptFrom > 0 && (await store.changes(keptFrom - 1, 1)) ? keptFrom - 1 : keptFrom;
  const start = after ?? Math.max(oldest, newest - limit);
  const entries: ListedEntry[] = [];
  while (entries.length < limit) {
    const last = entries.at(-1)?.revision ?? start;
    const page = await store.changes(last, Math.min(PAGE, limit - entries.length));
    if (page === undefined) {
      const message = `entries after ${start} are no longer kept; the oldest that are follow ${keptFrom}`;
      throw new AuthorizerError("invalid_request", message);
    }
    if (page.length === 0) break;
    entries.push(...page.map(listed));
  }
  return { entries, kept_from: keptFrom, newest };
}

function listed({ revision, id, at, node, useCases }: CommittedChange): ListedEntry {
  const actors = [...new Set(useCases.flatMap(({ actor }) => actor ?? []))];
  return { revision, id, at, node, actors, change: mergeTouched(useCases) ?? {} };
}
