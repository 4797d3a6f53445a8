/** Things that all tests of a file share. */

import { afterAll } from "vitest";

interface Closable {
  close(): unknown;
}

/** Things that are still open, in the order of their opening. */
const open = new Set<Closable>();

/** Waits for what is opened, and closes it after all tests of the file, or of the suite that it is opened in. */
export async function closedAfterAll<T extends Closable>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  open.add(opened);
  // Has no effect where a hook opens it.
  afterAll(() => closeOne(opened));
  return opened;
}

/** Closes what hooks have opened, the last one first: after all tests of a file. */
export async function closeLeftOpen(): Promise<void> {
  for (const one of [...open].reverse()) await closeOne(one);
}

async function closeOne(one: Closable): Promise<void> {
  if (open.delete(one)) await one.close();
}
