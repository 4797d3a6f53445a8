/** Reads server-sent events (HTML Living Standard, section 9.2.6) from an answer. */

import { ClientError } from "./client-error.ts";
import { readText } from "./read-text.ts";

/** One event of the stream. */
export interface ServerSentEvent {
  readonly event: string;
  /** "" where it has none. */
  readonly id: string;
  readonly data: string;
}

/** An event longer than this is no event of ours. */
const LONGEST_EVENT = 4 * 1024 * 1024;

/**
 * Yields the events of an answer until it ends.
 * @param silence milliseconds without a byte after which the connection counts as dead
 * @throws ClientError after that silence, or for an event without end
 */
export async function* readEvents(response: Response, silence: number): AsyncGenerator<ServerSentEvent> {
  let buffer = "";
  for await (const piece of readText(response, silence)) {
    buffer += piece;
    const blocks = buffer.replaceAll("\r\n", "\n").split("\n\n");
    buffer = blocks.pop() ?? "";
    if (buffer.length > LONGEST_EVENT) {
      throw new ClientError(0, "an event of the watch does not end", [], { code: "unreachable" });
    }
    for (const block of blocks) {
      const event = parseEvent(block);
      if (event !== undefined) yield event;
    }
  }
}

/** Undefined for comments, which keep the connection alive. */
function parseEvent(block: string): ServerSentEvent | undefined {
  let event = "message";
  let id = "";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const [field = "", value = ""] = line.split(/:\s?(.*)/s);
    if (field === "event") event = value;
    else if (field === "id") id = value;
    else if (field === "data") data.push(value);
  }
  return data.length === 0 ? undefined : { event, id, data: data.join("\n") };
}
