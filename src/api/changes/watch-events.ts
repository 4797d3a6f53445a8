/** The events of a watch, as server-sent events (HTML Living Standard, section 9.2). */

import type { LoggedEntry } from "./ports.ts";

/** An entry: an event without a name, so that `onmessage` gets it. */
export function entryEvent({ revision, at, names }: LoggedEntry, logId: string): string {
  return eventText(undefined, revision, logId, { revision, at, change: names });
}

/** The newest revision. */
export function revisionEvent(revision: number, logId: string): string {
  return eventText("revision", revision, logId, { revision });
}

/** The changes asked for are not to be had: everything is to be read anew, as of a revision. */
export function resetEvent(revision: number, logId: string): string {
  return eventText("reset", revision, logId, { revision });
}

function eventText(name: string | undefined, revision: number, logId: string, data: object): string {
  const event = name === undefined ? "" : `event: ${name}\n`;
  return `${event}id: ${revision}.${logId}\ndata: ${JSON.stringify(data)}\n\n`;
}
