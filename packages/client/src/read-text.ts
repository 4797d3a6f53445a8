/** Reads the text of an answer that does not end, piece by piece. */

import { ClientError } from "./client-error.ts";

/**
 * Yields the text as it arrives, until the answer ends.
 * @param silence milliseconds without a byte after which the connection counts as dead
 * @throws ClientError after that silence
 */
export async function* readText(response: Response, silence: number): AsyncGenerator<string> {
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await withSilence(reader.read(), silence);
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function withSilence<T>(read: Promise<T>, silence: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const message = `nothing was heard for ${silence} ms`;
    timer = setTimeout(() => reject(new ClientError(0, message, [], { code: "unreachable" })), silence);
  });
  return Promise.race([read, late]).finally(() => clearTimeout(timer));
}
