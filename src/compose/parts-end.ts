/** The end of the parts of a service, in the reverse of their order. */

import type { ServiceParts } from "./parts.ts";

/** Time in milliseconds for which the end waits for files that are read again. */
const RELOAD_WITHIN_MS = 10_000;

/** Time in milliseconds in which calls end whose commits are answered. */
const ANSWERED_WITHIN_MS = 2_000;

/**
 * Closes everything; what is in flight is finished. The audit log ends after the store, which answers the commits that the
 * listeners did not wait for. Where a part cannot be closed the others are, and the log with the data last. Rejects with the
 * errors of those.
 */
export async function closeParts(parts: ServiceParts): Promise<void> {
  const ends = new AsyncDisposableStack();
  ends.defer(() => parts.data.close());
  ends.defer(() => parts.audit.close());
  ends.defer(() => callsEnded(parts));
  ends.defer(() => parts.data.closeStore());
  ends.defer(() => parts.opened.disposeAsync());
  ends.defer(() => closeListeners(parts));
  await ends.disposeAsync();
}

async function closeListeners(parts: ServiceParts): Promise<void> {
  parts.ending.abort();
  await Promise.all([
    parts.service.close(),
    parts.user.close(),
    parts.scrape.close(),
    parts.extAuthz?.close(),
    parts.streaming?.close(),
    parts.reloads.done(RELOAD_WITHIN_MS),
  ]);
}

/** Waits for what outlasted the listeners and goes on with the answer of the store. */
async function callsEnded({ service, user, reloads }: ServiceParts): Promise<void> {
  await Promise.all([
    service.finished(ANSWERED_WITHIN_MS),
    user.finished(ANSWERED_WITHIN_MS),
    reloads.done(ANSWERED_WITHIN_MS),
  ]);
}
