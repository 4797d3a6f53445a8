/** Streams of new records as server-sent events. */

import type { ServerResponse } from "node:http";
import { Places } from "../../../http/places.ts";
import { type Answer, WRITTEN } from "../../../http/route.ts";
import type { UserCall } from "../call.ts";
import type { ManagementParts } from "../declaration.ts";
import type { StillPermitted } from "../permissions/still-permitted.ts";
import type { AuditRecords, RecordQuery } from "./ports.ts";
import { maskedFilters } from "./read-records.ts";

/** Most streams at once, half of them of one user. */
const MOST_STREAMS = 32;
/** Time between two looks for new records, in milliseconds. */
const LOOK_MS = 500;
/** Time to the next look while more records wait: what was written leaves meanwhile. */
const NEXT_MS = 10;
/** Looks between two comments that keep a quiet connection open. */
const LOOKS_PER_COMMENT = 30;
/** Bytes that a reader may be behind. */
const MOST_BEHIND = 1 << 20;

/** Serves streams. */
interface RecordStreams {
  /** Writes records to the caller until it goes away, is 1 MiB behind, may read them no longer, or the server stops. */
  serve(
    call: UserCall,
    records: AuditRecords,
    query: RecordQuery,
    permitted: StillPermitted,
    parts: Pick<ManagementParts, "otherNodes">,
  ): Promise<Answer>;
}

/** Returns what serves the streams of one listener. */
export function openRecordStreams(): RecordStreams {
  const following = new Places(MOST_STREAMS, "too many streams of records are open");
  return {
    async serve(call, records, query, permitted, { otherNodes }) {
      let leave: (() => void) | undefined;
      try {
        leave = following.take(call.caller.name);
        const { place } = await records.since(query, undefined);
        const nodes = {
          node: records.node,
          missing_nodes: await otherNodes(),
          ...maskedFilters(records, query),
        };
        await follow(
          call,
          records,
          query,
          place,
          permitted,
          `event: nodes\ndata: ${JSON.stringify(nodes)}\n\n`,
        );
      } finally {
        leave?.();
        permitted.close();
      }
      return WRITTEN;
    },
  };
}

async function follow(
  call: UserCall,
  records: AuditRecords,
  query: RecordQuery,
  from: number,
  permitted: StillPermitted,
  first: string,
): Promise<void> {
  const { response } = call;
  call.deadline = Number.POSITIVE_INFINITY;
  response.writeHead(200, [
    "Content-Type",
    "text/event-stream",
    "Cache-Control",
    "no-store",
    "X-Accel-Buffering",
    "no",
    ...call.commonHeaders(),
  ]);
  response.write(first);
  let place = from;
  let wait = LOOK_MS;
  for (let look = 1; !response.destroyed && !response.writableEnded; look++) {
    await nextLook(response, wait);
    if (response.destroyed || response.writableEnded) return;
    if (call.isStopping) break;
    // Nothing is written that the caller could not ask for now.
    if (!(await permitted.ask().catch(() => false))) break;
    const found = await records.since(query, place).catch(() => undefined);
    if (found === undefined) break;
    place = found.place;
    wait = found.more ? NEXT_MS : LOOK_MS;
    for (const record of found.records) response.write(`data: ${record}\n\n`);
    if (found.records.length === 0 && look % LOOKS_PER_COMMENT === 0) response.write(": \n\n");
    if (response.writableLength > MOST_BEHIND) break;
  }
  response.end();
}

/** Resolves after a while, or when the reader has gone: the next caller may have its place at once. */
function nextLook(response: ServerResponse, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off("close", done);
      resolve();
    };
    const timer = setTimeout(done, ms).unref();
    response.on("close", done);
  });
}
