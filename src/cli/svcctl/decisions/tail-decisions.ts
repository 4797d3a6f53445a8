/** `svcctl decisions tail`: the stream of records (server-sent events). */

import { safeText } from "../../safe-text.ts";
import { apiBase } from "../api/endpoint.ts";
import { isObject } from "../api/pages.ts";
import type { CommandCall } from "../command.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { decisionFilters } from "./decision-filters.ts";
import { summaryOf } from "./record-summary.ts";

/** Prints records until the stream ends. */
export async function tailDecisions(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const wanted = Number(options["count"] ?? Number.POSITIVE_INFINITY);
  let printed = 0;
  for await (const record of events(call)) {
    context.out(options["json"] === true ? `${JSON.stringify(record)}\n` : `${lineOf(record)}\n`);
    if (++printed >= wanted) return;
  }
}

function lineOf(record: Record<string, unknown>): string {
  const { at, id, subject, action, resource, effect, policies } = summaryOf(record);
  return [at, id, effect, subject, action, resource, policies.join(",")].join("  ");
}

async function* events({ context, options }: CommandCall): AsyncGenerator<Record<string, unknown>> {
  const { endpointUrl, accessKeyId, secretAccessKey } = loadSettings(context);
  const filters = Object.entries(decisionFilters(options)).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(filters as [string, string][]);
  const basic = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64");
  const stop = new AbortController();
  const answer = await fetch(`${apiBase(endpointUrl)}/decisions/stream?${query}`, {
    headers: { authorization: `Basic ${basic}` },
    signal: stop.signal,
  });
  if (answer.status !== 200 || answer.body === null) {
    const body: unknown = await answer.json().catch(() => undefined);
    const message = isObject(body) ? String(body["message"] ?? "") : "";
    throw new Error(`[${answer.status}] ${safeText(message)}`);
  }
  try {
    yield* eventsIn(answer.body);
  } finally {
    stop.abort();
  }
}

async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Record<string, unknown>> {
  let rest = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + piece).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith("data: "))
        yield JSON.parse(block.slice("data: ".length)) as Record<string, unknown>;
    }
  }
}
