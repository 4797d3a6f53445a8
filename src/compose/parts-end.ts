/** The end of the parts of a service, in the reverse of their order. */

import type { ServiceParts } from "./parts.ts";

/** Time in milliseconds for which the end waits for files that are read again. */
const RELOAD_WITHIN_MS = 10_000;

/** Closes everything; what is in flight is finished. */
export async function closeParts(parts: ServiceParts): Promise<void> {
  await Promise.all([
    parts.service.close(),
    parts.user.close(),
    parts.scrape.close(),
    parts.extAuthz?.close(),
    parts.streaming?.close(),
    parts.reloads.done(RELOAD_WITHIN_MS),
  ]);
  await parts.escalationCheck.close();
  parts.activity.close();
  await parts.status.close();
  await parts.access?.close();
  await parts.policyChecks.close();
  await parts.passwordResets?.close();
  await parts.invitations.close();
  await parts.mirroring?.runner.close();
  await parts.shadow?.close();
  await parts.decisions.close();
  await parts.identities.close();
  parts.metrics.close();
  await parts.decisionLog?.close();
  await parts.usage?.close();
  await parts.audit.close();
  await parts.data.close();
}
