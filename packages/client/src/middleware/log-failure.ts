/** The log of an application that has none of its own for the errors of middleware. */

/** Time for which further errors of the same status are counted only, in ms. */
const QUIET_MS = 10_000;

interface Logged {
  readonly at: number;
  /** Errors since then that were counted only. */
  silent: number;
}

const logged = new WeakMap<object, Map<number, Logged>>();

/**
 * Writes an error to `console.error`, at most one line in ten seconds for each status.
 * @param owner whose errors they are: the permission of a route
 */
export function logFailure(
  owner: object,
  { status, body }: { readonly status: number; readonly body: { readonly message: string } },
  error: unknown,
): void {
  const byStatus = logged.get(owner) ?? new Map<number, Logged>();
  logged.set(owner, byStatus);
  const last = byStatus.get(status);
  const now = Date.now();
  if (last !== undefined && now - last.at < QUIET_MS && now >= last.at) {
    last.silent += 1;
    return;
  }
  byStatus.set(status, { at: now, silent: 0 });
  const more = last === undefined || last.silent === 0 ? "" : ` (and ${last.silent} more requests before)`;
  // biome-ignore lint/suspicious/noConsole: a library has no other log, and silence would hide the error.
  console.error(`svc-authorizer: a request was answered ${status}: ${body.message}${more}`, error);
}
