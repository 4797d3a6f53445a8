/** Entries of the past as callers name them: by position, so that a revision that was given twice is noticed (spec/journal §6). */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import {
  type NamedPosition,
  parsePosition,
  positionText,
  shortId,
} from "@svc-authorizer/policy/model/position.ts";
import type { Store } from "../../store/port.ts";

/** `N.LOG.ENTRY` of a revision; `N.LOG` where its entry is no longer kept. */
export async function positionOf(store: Store, revision: number): Promise<string> {
  return positionText(revision, store.logId, await idOf(store, revision));
}

/**
 * Returns the revision of a position, or of a number alone, which names no entry. That the entry is not in the log is said
 * only once the copy is proved to be the newest.
 * @throws AuthorizerError "invalid_request" for another form, "other_log" or "went_back" where the log has no such entry, and
 * "unavailable" where nothing is proved
 */
export async function namedRevision(store: Store, text: string): Promise<number> {
  const named = parsePosition(text);
  if (named === undefined)
    throw new AuthorizerError("invalid_request", "expected a position, N.LOG.ENTRY, or a revision");
  if (named.log === undefined || (await isIn(store, named))) return named.revision;
  await store.prove?.();
  if (await isIn(store, named)) return named.revision;
  if (named.log !== store.logId)
    throw new AuthorizerError("other_log", `the log of this directory is ${store.logId}, not ${named.log}`);
  throw new AuthorizerError(
    "went_back",
    `the log has no entry ${text}: the state went back; list what there is now`,
  );
}

/** Runs a read of what a position names; where the log went back meanwhile, nothing is answered. */
export async function readingNamed<T>(
  store: Store,
  text: string,
  read: (revision: number) => Promise<T>,
): Promise<T> {
  const found = await read(await namedRevision(store, text));
  await namedRevision(store, text);
  return found;
}

async function isIn(store: Store, { revision, log, entry }: NamedPosition): Promise<boolean> {
  if (log !== store.logId || revision > store.history.head.revision) return false;
  const id = await idOf(store, revision);
  // What is no longer kept is named without an entry, or was when it was kept.
  if (id === undefined) return revision <= (await store.history.keptFrom());
  return entry !== undefined ? shortId(id) === entry : revision === 0;
}

async function idOf(store: Store, revision: number): Promise<string | undefined> {
  const known = await store.history.idOf(revision);
  if (known !== undefined || revision === 0) return known;
  const [entry] = (await store.changes(revision - 1, 1)) ?? [];
  return entry?.revision === revision ? entry.id : undefined;
}
