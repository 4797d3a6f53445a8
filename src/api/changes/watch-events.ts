/** The events of a watch, as server-sent events (HTML Living Standard, section 9.2). */

import { positionText, shortId } from "@svc-authorizer/policy/model/position.ts";
import type { ChangeLog, EntryName, LoggedEntry } from "./ports.ts";

/** Writes the events of one log. */
export class WatchEvents {
  readonly #log: Pick<ChangeLog, "logId" | "namesEntries">;

  constructor(log: Pick<ChangeLog, "logId" | "namesEntries">) {
    this.#log = log;
  }

  /** An entry: an event without a name, so that `onmessage` gets it. */
  entry({ revision, id, at, names }: LoggedEntry): string {
    return this.#event(undefined, { revision, id }, { at, change: names });
  }

  /** The newest entry. */
  newest(head: EntryName): string {
    return this.#event("revision", head, {});
  }

  /** The changes asked for are not to be had: everything is to be read anew, as of an entry. */
  reset(head: EntryName): string {
    return this.#event("reset", head, {});
  }

  #event(name: string | undefined, { revision, id }: EntryName, more: object): string {
    const { logId, namesEntries } = this.#log;
    const event = name === undefined ? "" : `event: ${name}\n`;
    const position = positionText(revision, logId, namesEntries ? id : undefined);
    const line = position === "" ? "" : `id: ${position}\n`;
    const data = { revision, ...(id !== "" && { id: shortId(id) }), ...more };
    return `${event}${line}data: ${JSON.stringify(data)}\n\n`;
  }
}
