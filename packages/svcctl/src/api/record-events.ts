/** Streams of records: server-sent events. */

import type { OptionValues } from "@svc-authorizer/commands/command-spec.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandContext } from "../command-context.ts";
import { printMaskedFilters, printMissingNodes } from "../output/missing-records.ts";
import { type JsonObject, openApi } from "./api-client.ts";
import { isObject } from "./pages.ts";

const EVENT = /^(?:event: (\w+)\n)?data: (.*)$/;

/**
 * Yields the records of a stream, and says first which nodes are not followed. Rejects with the server's refusal, and where the
 * stream ends: the server ends it for who may read it no longer or too slowly, and when it stops itself.
 * @param path segments below the base of the API
 */
export async function* recordEvents(
  context: CommandContext,
  path: readonly string[],
  query: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<JsonObject> {
  const api = openApi(context);
  const stop = new AbortController();
  const answer = await fetch(api.urlOf({ path, query }), { headers: api.headers, signal: stop.signal });
  if (answer.status !== 200 || answer.body === null) {
    const body: unknown = await answer.json().catch(() => undefined);
    const message = isObject(body) ? String(body["message"] ?? "") : "";
    throw new Error(`[${answer.status}] ${safeText(message)}`);
  }
  try {
    for await (const { type, data } of eventsIn(answer.body)) {
      if (type === "nodes") {
        printMissingNodes(context, data);
        printMaskedFilters(context, data);
      } else if (type === "message") yield data;
    }
    throw new Error("the server ended the stream: records from now on are not shown");
  } finally {
    stop.abort();
  }
}

/**
 * The number of records after which a command ends (`--count`).
 * @throws UsageFailure for less than one: no record would end it
 */
export function wantedRecords(options: OptionValues): number {
  const wanted = Number(options["count"] ?? Number.POSITIVE_INFINITY);
  if (wanted < 1) throw new UsageFailure(`--count ${wanted}: expected at least 1`);
  return wanted;
}

/** An event of a stream. */
interface StreamEvent {
  readonly type: string;
  readonly data: JsonObject;
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, type = "message", data] = EVENT.exec(block) ?? [];
      if (data === undefined) continue;
      const read: unknown = JSON.parse(data);
      if (!isObject(read)) throw new Error("Bad response from server");
      yield { type, data: read };
    }
  }
}
