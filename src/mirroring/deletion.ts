/** Deletes the repository of a mirror (spec/mirroring §6): once, and never while a call of before may run. */

import type { Expectation } from "../store/expectation.ts";
import type { Store } from "../store/port.ts";
import { MIRROR_UID } from "./identity-check.ts";
import { holdLease } from "./lease.ts";
import type { Mirror } from "./mirror.ts";
import type { Destination, RepositoryFacts } from "./ports.ts";
import { Progress } from "./progress/progress.ts";
import { MAY_RUN_MS } from "./promotion.ts";

/** Parts that a deletion works with. */
interface DeletionOptions {
  readonly store: Store;
  readonly destination: Destination;
  /** Conditions of its writes: the mirror's own record. */
  readonly expects: readonly Expectation[];
  /** Unix milliseconds. */
  readonly now: () => number;
}

/**
 * Makes a step of the deletion. True once the mirror has no repository any more, false where that has to be looked at again,
 * undefined where another process acts for the mirror.
 * @throws CallFailed where the data server does not answer; LeaseLost where another process took over
 */
export async function deleteRepository(
  mirror: Mirror,
  { store, destination, expects, now }: DeletionOptions,
): Promise<boolean | undefined> {
  const lease = await holdLease(store, mirror.uid);
  if (lease === undefined) return undefined;
  const found = await destination.repository(mirror.name);
  if (found === undefined || !(await isOwn(mirror, found, destination))) return true;
  const progress = await Progress.load(store, mirror.uid);
  const calledAt = progress.state.deletion?.calledAt;
  // A clock that went back says nothing about the call.
  if (calledAt !== undefined && Math.abs(now() - calledAt) < MAY_RUN_MS) return false;
  progress.state = { ...progress.state, term: progress.state.term + 1, deletion: { calledAt: now() } };
  await progress.save([...lease, ...expects]);
  // A server that knew it a moment ago and does not now is asked again before anybody hears that it is gone.
  return destination.remove(mirror.name);
}

/** True for the repository that this mirror made; one of somebody else is left alone. */
async function isOwn(mirror: Mirror, found: RepositoryFacts, destination: Destination): Promise<boolean> {
  const { [MIRROR_UID]: uid } = await destination.metadata(mirror.name);
  if (uid !== undefined) return uid === mirror.uid;
  // A creation may have been cut off before the mark.
  const mayBe =
    found.readOnly &&
    found.storageNamespace === mirror.storageNamespace &&
    found.createdAt >= mirror.createdAt;
  return mayBe && (await destination.branches(mirror.name)).length === 0;
}
