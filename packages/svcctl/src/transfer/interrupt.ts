/** Ctrl-C in the middle of a transfer: what is under way ends in order, and the command says what is left. */

import type { CommandContext } from "../command-context.ts";

/** Thrown where somebody ended a command. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";

  constructor() {
    super("interrupted");
  }
}

/** Runs work with a signal that an interrupt of the process aborts with {@link Interrupted}. */
export async function interruptible<T>(
  { edge }: CommandContext,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const forget = edge.onInterrupt?.(() => controller.abort(new Interrupted()));
  try {
    return await work(controller.signal);
  } finally {
    forget?.();
  }
}
