/** A `fetch` for libraries that read whole answers. */

import { boundedBody } from "../bounded-body.ts";

/** Statuses of answers that have no body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * Returns a `fetch` that resolves with the whole answer.
 * @param mostBytes largest answer; for a larger one, whose rest is not read, it rejects with a TypeError, as for any answer that
 *   does not arrive
 */
export function boundedFetch(mostBytes: number) {
  return async (url: string, options: object): Promise<Response> => {
    const { body, status, statusText, headers } = await fetch(url, options);
    let read: Buffer;
    try {
      read = await boundedBody(body, mostBytes);
    } catch (cause) {
      throw new TypeError("the answer does not arrive", { cause });
    }
    return new Response(WITHOUT_BODY.has(status) ? null : new Uint8Array(read), {
      status,
      statusText,
      headers,
    });
  };
}
