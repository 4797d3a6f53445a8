/** Follows the changes of the directory (`GET /api/v1/watch`, spec/journal §6.4), across broken connections. */

import { isPosition, parseRevision, type Revision } from "@svc-authorizer/policy/revision.ts";
import { ClientError } from "./client-error.ts";
import { pause, waitBefore } from "./retry.ts";
import { readEvents, type ServerSentEvent } from "./server-sent-events.ts";
import type { Transport } from "./transport.ts";
import type { WatchPlace } from "./watch-place.ts";

/** Names of what an entry of the log touched; `all` stands for more than could be named. */
export interface Change {
  readonly all?: true;
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
  readonly policies?: readonly string[];
  readonly resources?: readonly string[];
}

/** The entry that an event is about. */
interface At {
  readonly revision: number;
  /** `N.LOG.ENTRY`, to begin a watch behind it; absent from a service of version 0.2. */
  readonly position?: string;
}

/** One thing that the service says about its directory. */
export type WatchEvent =
  /** An entry of the log. */
  | ({ readonly type: "change"; readonly at: string; readonly change: Change } & At)
  /** The newest revision, every few seconds, also where nothing changed. */
  | ({ readonly type: "revision" } & At)
  /**
   * The changes asked for are not to be had, the directory went back to an earlier state, or a call of this client read an
   * entry that the watch does not tell: everything must be read anew, as of this revision.
   */
  | ({ readonly type: "reset" } & At)
  /** The connection broke; the watch connects again by itself. */
  | { readonly type: "disconnected"; readonly error: ClientError };

type Told = Exclude<WatchEvent, { type: "disconnected" }>;

/** Options of a watch. */
export interface WatchOptions {
  /**
   * The first event is about the entry behind this position (`N.LOG.ENTRY`); default: from the newest on. For a number
   * alone, which does not say which entry it is, everything must be read anew: the first event is `reset`.
   */
  readonly after?: number | string;
  /** Ends the watch. */
  readonly signal?: AbortSignal;
}

/** Nothing heard for this long means that the connection is dead: the service says its revision every 5 s. */
const SILENCE_MS = 15_000;

/** The place where a connection begins. */
interface Start {
  readonly position?: string | undefined;
  /** In place of a position, as the caller gave it. */
  readonly after?: string | undefined;
  /** True where the caller has been told of an entry: what came since must not be left out in silence. */
  readonly isResumed: boolean;
}

/**
 * Yields events until the signal ends it, connecting again after each break.
 * @throws ClientError where the service refuses the watch (token, scope)
 */
export async function* watchRevisions(
  transport: Transport,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const { signal = new AbortController().signal } = options;
  const place = transport.watched();
  let start = startOf(options.after);
  let attempt = 0;
  try {
    while (!signal.aborted) {
      try {
        for await (const event of connection(transport, place, start, signal)) {
          attempt = 0;
          start = { position: event.position, isResumed: true };
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
  } finally {
    transport.unwatched(place);
  }
}

function startOf(after: number | string | undefined): Start {
  if (after === undefined) return { isResumed: false };
  const text = String(after);
  return isPosition(text) ? { position: text, isResumed: true } : { after: text, isResumed: false };
}

/** Yields the events of one connection, and a reset where calls of this client read what the watch does not tell. */
async function* connection(
  transport: Transport,
  place: WatchPlace,
  { position, after, isResumed }: Start,
  signal: AbortSignal,
): AsyncGenerator<Told> {
  const [name, value] = position === undefined ? ["after", after] : ["position", position];
  const query = value === undefined ? "" : `?${name}=${encodeURIComponent(value)}`;
  const end = new AbortController();
  const response = await transport.open(`/api/v1/watch${query}`, AbortSignal.any([signal, end.signal]));
  let at: At | undefined;
  try {
    for await (const event of withDoubts(readEvents(response, SILENCE_MS), place)) {
      const read: Told = event === "doubt" ? { ...at!, type: "reset" } : readEvent(event);
      // A service that names no entry has not looked for ours; nor has one that was not asked.
      const isUnsure =
        at === undefined && isResumed && (position === undefined || read.position === undefined);
      const told: Told = isUnsure && read.type === "revision" ? { ...read, type: "reset" } : read;
      at = { revision: told.revision, ...(told.position !== undefined && { position: told.position }) };
      transport.told(place, revisionOf(told), told.type === "reset");
      yield told;
    }
  } finally {
    end.abort();
  }
}

/** Yields events, and behind the first "doubt" wherever everything must be read anew though no event says so. */
async function* withDoubts(
  events: AsyncGenerator<ServerSentEvent>,
  place: WatchPlace,
): AsyncGenerator<ServerSentEvent | "doubt"> {
  let next: Promise<IteratorResult<ServerSentEvent>> | undefined;
  for (let isFirst = true; ; isFirst = false) {
    if (next === undefined) {
      next = events.next();
      // It may fail while the caller reads anew, when nobody waits for it.
      next.catch(() => undefined);
    }
    const read = isFirst ? await next : await Promise.race([next, place.doubtful()]);
    if (read?.done === true) return;
    if (read !== undefined) next = undefined;
    yield read?.value ?? "doubt";
  }
}

/** The entry that an event is about; undefined where the service names none. */
function revisionOf({ position }: At): Revision | undefined {
  if (position === undefined) return undefined;
  return parseRevision(position.slice(0, position.lastIndexOf(".")), position);
}

function readEvent({ event, id, data }: ServerSentEvent): Told {
  const parsed = JSON.parse(data) as { revision: number; id?: string; at?: string; change?: Change };
  const { revision, at = "", change } = parsed;
  if (!Number.isSafeInteger(revision)) throw new Error("an event without a revision");
  const position = isPosition(id) ? id : `${id}.${parsed.id ?? ""}`;
  const where = { revision, ...(isPosition(position) && { position }) };
  if (event === "reset") return { type: "reset", ...where };
  if (change === undefined) return { type: "revision", ...where };
  return { type: "change", at, change, ...where };
}

function asFailure(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return new ClientError(0, "the watch broke", [], { code: "unreachable", cause: error });
}
