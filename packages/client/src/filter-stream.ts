/** Filters any number of resources in one call: lines go out while lines come in (spec/decision-api §3.2). */

import type { FilterStreamAnswer, FilterStreamHead } from "@svc-authorizer/contract/decision-api.gen.ts";
import { bodyText } from "./body-text.ts";
import { ClientError } from "./client-error.ts";
import type { DeepReadonly } from "./questions.ts";
import { readLines } from "./read-lines.ts";
import type { CallOptions, Transport } from "./transport.ts";

/** The question about each of a stream of resources. */
export type StreamedFilter = DeepReadonly<FilterStreamHead>;

/** ARNs, or ids where the question names a type. */
export type StreamedResources = Iterable<string> | AsyncIterable<string>;

/** Text is collected up to this length before it is sent. */
const PIECE = 16 * 1024;

/**
 * Yields the index of each allowed resource, ascending, while further resources are sent.
 * @param silence milliseconds in which no line moves in either direction, after which the call is given up
 * @throws ClientError where the answer is not complete, and for a resource that the service cannot read; the signal's
 *   reason; what the resources throw
 */
export async function* filterStream(
  transport: Transport,
  filter: StreamedFilter,
  resources: StreamedResources,
  options: CallOptions,
  silence: number,
): AsyncGenerator<number> {
  const stop = new AbortController();
  const signal = options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
  const watchdog = new Watchdog(silence, (error) => stop.abort(error));
  const lines = new LinesOf(filter, resources, signal, () => watchdog.moved());
  try {
    const sending = { body: lines.stream, type: "application/x-ndjson", options };
    const response = await transport.open("/access/v1/filter", signal, sending);
    for await (const line of readLines(response, silence)) {
      const index = indexIn(JSON.parse(line) as FilterStreamAnswer);
      if (index === undefined) return;
      watchdog.pause();
      yield index;
      watchdog.moved();
    }
    throw new ClientError(0, "the answer ended early", [], { code: "unreachable" });
  } catch (error) {
    throw lines.failure ?? (signal.aborted ? signal.reason : asClientError(error));
  } finally {
    watchdog.end();
    stop.abort();
  }
}

/** The index of an allowed item; undefined at the end of a complete answer. */
function indexIn(line: FilterStreamAnswer): number | undefined {
  if ("complete" in line) {
    if (line.complete) return undefined;
    throw new ClientError(line.error.status, line.error.message);
  }
  if (!("error" in line)) return line.index;
  const { index, error } = line;
  const problem = { pointer: `/resources/${index}`, message: error.message };
  throw new ClientError(error.status, `resource ${index}: ${error.message}`, [problem]);
}

function asClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return new ClientError(0, "the stream broke", [], { code: "unreachable", cause: error });
}

/** The request: the question, then a line per resource, read from the caller only as fast as the service takes them. */
class LinesOf {
  readonly stream: ReadableStream<Uint8Array>;
  /** The error that the resources of the caller threw. */
  failure: unknown;

  constructor(filter: StreamedFilter, resources: StreamedResources, signal: AbortSignal, moved: () => void) {
    const pieces = piecesOf(filter, resources, signal, moved);
    const end = async (): Promise<void> => {
      await pieces.return(undefined);
    };
    // Not every runtime cancels the body of a call that ended: some read it to its end, some leave it.
    signal.addEventListener("abort", () => end().catch(() => undefined), { once: true });
    this.stream = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await pieces.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          this.failure = error;
          throw error;
        }
      },
      cancel: end,
    });
  }
}

async function* piecesOf(
  filter: StreamedFilter,
  resources: StreamedResources,
  signal: AbortSignal,
  moved: () => void,
): AsyncGenerator<Uint8Array, void> {
  const encoder = new TextEncoder();
  let text = `${bodyText(filter)}\n`;
  for await (const resource of resources) {
    if (signal.aborted) return;
    moved();
    text += `${JSON.stringify(resource)}\n`;
    if (text.length < PIECE) continue;
    yield encoder.encode(text);
    text = "";
  }
  if (text !== "") yield encoder.encode(text);
}

/** Ends a stream in which nothing moves. */
class Watchdog {
  readonly #silence: number;
  readonly #bark: (error: ClientError) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #movedAt = performance.now();

  constructor(silence: number, bark: (error: ClientError) => void) {
    this.#silence = silence;
    this.#bark = bark;
    this.#wait(silence);
  }

  moved(): void {
    this.#movedAt = performance.now();
  }

  /** The time that the caller takes over a result is his own. */
  pause(): void {
    this.#movedAt = Number.POSITIVE_INFINITY;
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      const left = this.#movedAt + this.#silence - performance.now();
      if (left > 0) this.#wait(Math.min(left, this.#silence));
      else {
        const message = `nothing moved for ${this.#silence} ms`;
        this.#bark(new ClientError(0, message, [], { code: "timeout" }));
      }
    }, milliseconds);
  }
}
