/** Follows the changes of the directory: `GET /api/v1/watch`, server-sent events. */

import { ClientError } from "./client-error.ts";
import { pause, waitBefore } from "./retry.ts";
import { readEvents } from "./server-sent-events.ts";
import type { Transport } from "./transport.ts";

/** Names of what an entry of the log touched; `all` stands for more than could be named. */
export interface Change {
  readonly all?: true;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  readonly resources?: readonly string[];
}

/** One thing that the service says about its directory. */
export type WatchEvent =
  /** An entry of the log. */
  | { readonly type: "change"; readonly revision: number; readonly at: string; readonly change: Change }
  /** The newest revision, every few seconds, also where nothing changed. */
  | { readonly type: "revision"; readonly revision: number }
  /** The changes asked for are no longer kept: everything must be read anew, as of this revision. */
  | { readonly type: "reset"; readonly revision: number }
  /** The connection broke; the watch connects again by itself. */
  | { readonly type: "disconnected"; readonly error: ClientError };

/** Options of a watch. */
export interface WatchOptions {
  /** The first event is about the revision after this one; default: from the newest on. */
  readonly after?: number;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

/** Nothing heard for this long means that the connection is dead: the service says its revision every 5 s. */
const SILENCE_MS = 15_000;

/**
 * Yields events until the signal ends it, connecting again after each break.
 * @throws ClientError where the service refuses the watch (token, scope)
 */
export async function* watchRevisions(
  transport: Transport,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal = new AbortController().signal } = options;
  let after = options.after;
  let attempt = 0;
  while (!signal.aborted) {
    try {
      for await (const event of connection(transport, after, signal)) {
        attempt = 0;
        if (event.type !== "disconnected") after = event.revision;
        yield event;
      }
      throw new ClientError(0, "the service ended the watch", [], { code: "unreachable" });
    } catch (error) {
      if (signal.aborted) return;
      const failure = asFailure(error);
      if (failure.code === "unauthenticated" || failure.code === "not_allowed") throw failure;
      yield { type: "disconnected", error: failure };
      await pause(waitBefore(attempt++, failure), signal).catch(() => undefined);
    }
  }
}

async function* connection(
  transport: Transport,
  after: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent> {
  const query = after === undefined ? "" : `?after=${after}`;
  const response = await transport.open(`/api/v1/watch${query}`, signal);
  for await (const { event, data } of readEvents(response, SILENCE_MS)) {
    const parsed = JSON.parse(data) as { revision: number; at?: string; change?: Change };
    if (event === "reset") yield { type: "reset", revision: parsed.revision };
    else if (parsed.change === undefined) yield { type: "revision", revision: parsed.revision };
    else yield { type: "change", revision: parsed.revision, at: parsed.at ?? "", change: parsed.change };
  }
}

function asFailure(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return new ClientError(0, "the watch broke", [], { code: "unreachable", cause: error });
}
