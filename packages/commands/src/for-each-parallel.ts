/** Works through a list with several items under way at once. */

/**
 * Calls `work` for each item, at most `limit` at once, and takes the next item only when a place is free.
 * The first failure ends the others through their signal, and is thrown when all of them have ended.
 * @param signal ends everything from outside
 */
export async function forEachParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const both = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  const running = new Set<Promise<void>>();
  let failure: { readonly error: unknown } | undefined;
  const fail = (error: unknown): void => {
    failure ??= { error };
    failed.abort(error);
  };
  try {
    for await (const item of items) {
      if (both.aborted) break;
      const one: Promise<void> = work(item, both)
        .catch(fail)
        .finally(() => running.delete(one));
      running.add(one);
      if (running.size >= limit) await Promise.race(running);
    }
  } catch (error) {
    fail(error);
  }
  await Promise.all(running);
  signal?.throwIfAborted();
  if (failure !== undefined) throw failure.error;
}
