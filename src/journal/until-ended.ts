/** Long work on the log that is broken off where its node ends: of a large directory the rest may take minutes. */

import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";

/** The end of a node, for the work that it breaks off. */
export interface NodeEnd {
  /** Throws {@link NodeEnds} once the node ends. Absent: it does not. */
  readonly assertOpen?: () => void;
}

/** The node ends while something is read or written that nobody waits for any more. */
export class NodeEnds extends AuthorizerError {
  constructor() {
    super("unavailable", "The store is closed.");
  }
}

/** Returns what throws {@link NodeEnds} from the moment on in which that is so. */
export function openUntil(isEnding: () => boolean): () => void {
  return () => {
    if (isEnding()) throw new NodeEnds();
  };
}

/** Passes on what a source has, one by one; throws {@link NodeEnds} before the next one. */
export async function* untilEnded<T>(source: AsyncIterable<T>, { assertOpen }: NodeEnd): AsyncGenerator<T> {
  assertOpen?.();
  for await (const one of source) {
    assertOpen?.();
    yield one;
  }
}
