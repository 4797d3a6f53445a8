/** Things that all tests of a file share. */

import { afterAll } from "vitest";

/** Waits for what is opened, and closes it after all tests of the file, or of the suite that it is opened in. */
export async function closedAfterAll<T extends { close(): unknown }>(opening: T | Promise<T>): Promise<T> {
  const opened = await opening;
  afterAll(async () => {
    await opened.close();
  });
  return opened;
}
