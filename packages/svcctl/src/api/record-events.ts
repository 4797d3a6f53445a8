/** Streams of records: server-sent events. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { CommandContext } from "../command-context.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { apiBase } from "./endpoint.ts";
import { isObject } from "./pages.ts";

/**
 * Yields the records of a stream until it ends. Rejects with the server's refusal.
 * @param path below the base of the API
 */
export async function* recordEvents(
  context: CommandContext,
  path: string,
  query: Readonly<Record<string, string | undefined>>,
): AsyncGenerator<Record<string, unknown>> {
  const { endpointUrl, accessKeyId, secretAccessKey } = loadSettings(context);
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const basic = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64");
  const stop = new AbortController();
  const answer = await fetch(
    `${apiBase(endpointUrl)}/${path}?${new URLSearchParams(given as [string, string][])}`,
    {
      headers: { authorization: `Basic ${basic}` },
      signal: stop.signal,
    },
  );
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
