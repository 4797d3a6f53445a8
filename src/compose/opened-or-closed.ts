/** Parts that are opened one after the other: where one of them cannot be, none of those before it stays open. */

/**
 * Opens parts; `open` says of each at once how it is closed. Where it throws, all of them are closed, the last first.
 * @returns what `open` returns, whose owner closes the stack
 * @throws what `open` throws: what a closing says after that is of no use to anybody
 */
export async function openedOrClosed<T>(open: (opened: AsyncDisposableStack) => Promise<T>): Promise<T> {
  const opened = new AsyncDisposableStack();
  try {
    return await open(opened);
  } catch (error) {
    await opened.disposeAsync().catch(() => undefined);
    throw error;
  }
}
