/**
 * `POST /access/v1/filter` as `application/x-ndjson`: any number of items in constant memory, streamed both ways.
 *
 * Request: a first line `{user, action, type?, context?}`, then one JSON string per line. Response: a line
 * `{"index":N}` per allowed item (0-based, ascending), `{"index":N,"error":{…}}` per faulty one, and at the end
 * `{"complete":true,"items":N,"allowed":N}`. Without that line the answer is not complete.
 */

import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DecisionBatch } from "../../../decisions/decision-log.ts";
import type { Decisions } from "../../../decisions/decisions.ts";
import type { Admission } from "../../../http/admission.ts";
import { parseJson, parseJsonInTurns } from "../../../http/body/json-body.ts";
import { LineSplitter } from "../../../http/body/lines.ts";
import { codeOf, errorReply, invalidRequest, RequestRefused, statusOf } from "../../../http/errors.ts";
import type { IncomingRequest } from "../../../http/fast/incoming-request.ts";
import type { HttpCounters, HttpLog } from "../../../http/ports.ts";
import type { Authenticate, RawCall } from "../../../http/route.ts";
import { requireNone, type SchemaCheck } from "../../../http/schema/schema-check.ts";
import { scheduler } from "../../../schedule/scheduler.ts";
import { Turns } from "../../../schedule/turns.ts";
import { requireScope, type ServiceCaller } from "../../service-caller.ts";
import type { DecisionLimits } from "../limits.ts";
import { refuseQuery } from "../query.ts";
import { type FilterHead, type FilterHeadBody, headOf, ItemReader } from "./filter-items.ts";

/** Longest form of a character in a JSON string, `\uXXXX`. */
const ESCAPED_BYTES = 6;
const AROUND_ITEM = 64;
/** Longest time between an answer and the end of its record. */
const RECORD_MS = 1_000;

/** Parts with which streams are served. */
interface StreamServing {
  readonly decisions: Decisions;
  readonly limits: DecisionLimits;
  readonly admission: Admission;
  readonly counters: HttpCounters;
  readonly log: HttpLog;
  /** Checks the first line. */
  readonly check: SchemaCheck;
  readonly authenticate: Authenticate<ServiceCaller>;
}

/** Builds the handler. */
export function filterStreamHandler(serving: StreamServing) {
  return async (call: RawCall<ServiceCaller>): Promise<void> => {
    refuseQuery(call);
    const session = new FilterSession(serving, call);
    try {
      await session.run();
    } catch (error) {
      if ((call.request as IncomingRequest).isInBits === true) {
        call.response.once("finish", () => call.request.socket.destroySoon());
      }
      // What was answered so far has a record, however the stream ends.
      await session.recorded().catch(() => undefined);
      if (!call.response.headersSent || call.response.destroyed) throw error;
      session.fail(error);
    }
  };
}

/** One streamed request. */
class FilterSession {
  readonly #serving: StreamServing;
  readonly #limits: DecisionLimits;
  readonly #response: ServerResponse;
  readonly #call: RawCall<ServiceCaller>;
  readonly #gone = new AbortController();
  readonly #splitter = new LineSplitter();
  #caller: ServiceCaller;
  #batch: DecisionBatch | undefined;
  #recordedAt = performance.now();
  #head: FilterHead | undefined;
  #items: ItemReader | undefined;
  #seen = 0;
  #allowed = 0;

  constructor(serving: StreamServing, call: RawCall<ServiceCaller>) {
    this.#serving = serving;
    this.#limits = serving.limits;
    this.#call = call;
    this.#caller = call.caller;
    this.#response = call.response;
    this.#response.once("close", () => this.#gone.abort());
  }

  async run(): Promise<void> {
    const maxBytes = () =>
      this.#head === undefined ? this.#limits.bodyBytes : this.#limits.arnBytes * ESCAPED_BYTES + AROUND_ITEM;
    for await (const piece of arrivals(this.#call.request)) {
      this.#postponeDeadline();
      await this.#take(this.#splitter.push(piece, maxBytes));
    }
    await this.#take(this.#splitter.end(maxBytes));
    if (this.#head === undefined)
      throw invalidRequest([], "line 1: an object with user and action is needed");
    await this.recorded();
    this.#response.end(`{"complete":true,"items":${this.#seen},"allowed":${this.#allowed}}\n`);
  }

  #newBatch(): DecisionBatch | undefined {
    const { requestId } = this.#call;
    const { user, action, context } = this.#head as FilterHead;
    const asked = { user, action: this.#items?.action ?? action, context };
    return this.#serving.decisions.log?.batch({ entrance: "filter", requestId, call: this.#call, asked });
  }

  /** Ends the record of what was decided so far, where it cannot wait for the end of the stream. */
  async #partRecorded(): Promise<void> {
    const now = performance.now();
    if (this.#serving.decisions.log?.keepsFirst !== true && now - this.#recordedAt < RECORD_MS) return;
    this.#recordedAt = now;
    await this.recorded();
  }

  /** Ends the record, once. Resolves when the answer need not wait for it. */
  async recorded(): Promise<void> {
    const batch = this.#batch;
    this.#batch = undefined;
    await batch?.end();
  }

  /** Ends the answer with an error line. */
  fail(error: unknown): void {
    const { body, errorId } = errorReply(error);
    this.#serving.counters.errors[codeOf(error)]++;
    if (errorId !== undefined) {
      const { requestId: request_id } = this.#call;
      this.#serving.log.failure({ error_id: errorId, request_id, path: "/access/v1/filter", error });
    }
    const { message } = JSON.parse(body) as { message: string };
    this.#response.end(
      `${JSON.stringify({ complete: false, error: { status: statusOf(error), message } })}\n`,
    );
    this.#call.request.resume();
  }

  async #take(lines: Iterable<string>): Promise<void> {
    let batch: unknown[] = [];
    const turns = new Turns();
    try {
      for (const line of lines) {
        if (line.trim() !== "") {
          if (this.#head === undefined) {
            await this.#serving.decisions.typesRefreshed();
            await this.#begin(line);
          } else batch.push(this.#parse(line));
        }
        // A piece may have tens of thousands of lines.
        if (!turns.spent) continue;
        const answered = batch;
        batch = [];
        if (answered.length > 0) await this.#answer(answered);
        await turns.yield();
      }
    } finally {
      // What came before a faulty line is answered, however the stream was cut into pieces.
      if (batch.length > 0) await this.#answer(batch);
    }
  }

  async #begin(line: string): Promise<void> {
    const { jsonDepth: depth, jsonValues: values } = this.#limits;
    const body = await this.#numbered(() => parseJsonInTurns(Buffer.from(line), { depth, values }));
    requireNone(await scheduler.run(this.#serving.check.inSteps("FilterStreamHead", body)));
    const head = headOf(body as FilterHeadBody);
    this.#items = new ItemReader(this.#serving.decisions, head, this.#limits);
    this.#head = head;
    this.#batch = this.#newBatch();
    this.#response.writeHead(200, ["Content-Type", "application/x-ndjson", ...this.#call.commonHeaders()]);
    this.#response.flushHeaders();
  }

  #parse(line: string): unknown {
    try {
      return parseJson(line, 1);
    } catch (error) {
      throw this.#faulty(error);
    }
  }

  async #numbered<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#faulty(error);
    }
  }

  /** The error of a line with its number. */
  #faulty(error: unknown): unknown {
    if (!(error instanceof AuthorizerError) || error instanceof RequestRefused) return error;
    return invalidRequest([], `line ${this.#splitter.line}: ${error.problems[0]?.message ?? error.message}`);
  }

  async #answer(batch: readonly unknown[]): Promise<void> {
    await this.#authenticateAgain();
    const items = this.#items as ItemReader;
    const lines: { readonly index: number; readonly text: string }[] = [];
    const resources: string[] = [];
    const ids: string[] = [];
    const indexes: number[] = [];
    for (const item of batch) {
      const index = this.#seen++;
      const resource = items.read(item);
      if (typeof resource === "string") {
        resources.push(resource);
        ids.push(item as string);
        indexes.push(index);
      } else if (resource !== undefined) {
        lines.push({ index, text: JSON.stringify({ index, error: { status: 400, ...resource } }) });
      }
    }
    for (const position of await this.#allowedOf(resources, ids)) {
      const index = indexes[position] as number;
      lines.push({ index, text: `{"index":${index}}` });
      this.#allowed++;
    }
    await this.#partRecorded();
    lines.sort((a, b) => a.index - b.index);
    await this.#write(lines.map(({ text }) => `${text}\n`).join(""));
  }

  async #allowedOf(resources: readonly string[], ids: readonly string[]): Promise<readonly number[]> {
    const { user, groups, token, type, context } = this.#head as FilterHead;
    const action = this.#items?.action;
    if (action === undefined || resources.length === 0) return [];
    const { admission } = this.#serving;
    const caller = this.#call.caller.name;
    await admission.acquire(caller, this.#gone.signal);
    try {
      const { requestId } = this.#call;
      this.#batch ??= this.#newBatch();
      const batch = this.#batch;
      return await this.#serving.decisions.filter({
        user,
        ...(groups && { groups }),
        token,
        asserter: this.#caller,
        action,
        resources,
        ...(type !== undefined && { named: { type, ids } }),
        context,
        requestId,
        batch,
        waiter: this.#call,
      });
    } finally {
      admission.release(caller);
    }
  }

  async #write(text: string): Promise<void> {
    if (text === "" || this.#response.write(text)) return;
    await once(this.#response, "drain", { signal: this.#gone.signal });
    this.#postponeDeadline();
  }

  /** A stream may outlive the token that began it, and what the configuration gives it. */
  async #authenticateAgain(): Promise<void> {
    this.#caller = await this.#serving.authenticate(this.#call);
    requireScope(this.#caller, "decide");
  }

  /** A stream may last as long as both sides move. */
  #postponeDeadline(): void {
    this.#call.deadline = performance.now() + this.#limits.requestTimeoutMs;
  }
}

/**
 * Yields what arrives of a request: all that came since the last time in one piece. To take pieces as they were
 * sent would let thousands of single bytes be handled in one turn of the event loop.
 */
async function* arrivals(request: IncomingMessage): AsyncGenerator<Buffer> {
  let wake = () => {};
  const onEvent = () => wake();
  const events = ["readable", "end", "error", "close"] as const;
  for (const event of events) request.on(event, onEvent);
  try {
    while (!request.readableEnded && !request.destroyed) {
      if ((request as IncomingRequest).isInBits === true) {
        throw new RequestRefused(400, "the body comes in too many pieces of a few bytes");
      }
      const bytes: Buffer | null = request.read();
      if (bytes !== null) {
        yield bytes;
        await setImmediate();
      } else if (!request.readableEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    for (const event of events) request.off(event, onEvent);
  }
  if (!request.readableEnded) throw request.errored ?? new Error("the caller went away");
}
