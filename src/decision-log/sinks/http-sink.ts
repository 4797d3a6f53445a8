/**
 * Sends a chain to an HTTP server: batch after batch in order, each at least once, from the place on disk up to which it
 * was taken (spec/decision-log §2.9). A sink that is down loses nothing as long as the segments are kept.
 */

import { stat } from "node:fs/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import { segmentsOf } from "@svc-authorizer/policy/records/chain-files.ts";
import { segmentLines } from "@svc-authorizer/policy/records/read-lines.ts";
import type { Report } from "../chain/chain.ts";
import { readAnswer, type SinkAnswer } from "./sink-answer.ts";
import type { SinkFormat } from "./sink-format.ts";
import { type SinkPlace, SinkPlaceFile } from "./sink-place.ts";

/** Bounds of a batch. */
const MOST_LINES = 1_000;
const MOST_BYTES = 1 << 20;
const TIMEOUT_MS = 30_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;
/** Most lines in a row that are left out as invalid. */
const MOST_INVALID = 16;
/** Time between two looks for new lines, if nobody tells of them. */
const LOOK_MS = 2_000;

const compressed = promisify(gzip);

/** The parts of a sink. */
interface HttpSinkOptions {
  /** Folder of the chain. */
  readonly folder: string;
  readonly url: string;
  readonly format: SinkFormat;
  /** Bearer token; undefined for none. */
  readonly token: string | undefined;
  readonly report: Report;
  readonly now?: () => number;
}

/** Sends lines as long as it is open. */
export class HttpSink {
  /** Requests that were not taken. */
  failures = 0;
  /** Lines that the sink refused as invalid and lacks. */
  rejected = 0;
  readonly #options: HttpSinkOptions;
  readonly #file: SinkPlaceFile;
  readonly #stop = new AbortController();
  readonly #now: () => number;
  #place: SinkPlace = { segment: 0, offset: 0 };
  #failing = false;
  #waitMs = FIRST_WAIT_MS;
  /** True if the sink has lines of the chain, so that others which it will never have are a loss. */
  #hasBegun = false;
  #oldest: number | undefined;
  #wake: () => void = () => undefined;
  #done: Promise<void> | undefined;

  constructor(options: HttpSinkOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#file = new SinkPlaceFile(options.folder, options.url);
  }

  /** Begins to send. A chain that the sink has lines of is open already: what a crash tore is cut. */
  async start(): Promise<void> {
    const known = await this.#file.read();
    this.#hasBegun = known !== undefined;
    // A new sink begins with the chain: what is delivered twice harms less than a gap.
    this.#place =
      known === undefined ? { segment: 1, offset: 0 } : await withinChain(this.#options.folder, known);
    this.#done = this.#run();
  }

  /** Number of the first segment that the sink still needs. */
  get needed(): number {
    return this.#place.segment;
  }

  /** Age of the oldest line that it lacks, in seconds; 0 if it has all. */
  get lagSeconds(): number {
    return this.#oldest === undefined ? 0 : Math.max(0, (this.#now() - this.#oldest) / 1_000);
  }

  /** Tells of new lines. */
  notice(): void {
    this.#wake();
  }

  /** Stops; what was not taken is sent after the next start. */
  async close(): Promise<void> {
    this.#stop.abort();
    this.#wake();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (!(await this.#sendSegment())) await this.#wait(LOOK_MS);
      } catch (error) {
        // A segment may be compressed or removed while it is opened; it is looked for again.
        if (!isGone(error)) {
          this.#report("a sink of the decision log cannot read the segments", { reason: String(error) });
        }
        await this.#wait(FIRST_WAIT_MS);
      }
    }
  }

  /** Sends the rest of a segment. Returns true if there is a segment after it. */
  async #sendSegment(): Promise<boolean> {
    const segments = await segmentsOf(this.#options.folder);
    const segment = segments.find(({ number }) => number >= this.#place.segment);
    if (segment === undefined) return false;
    if (segment.number > this.#place.segment) {
      if (this.#hasBegun) {
        const lost = { from: this.#place.segment, to: segment.number - 1 };
        this.#report("segments were removed before a sink of the decision log had them", lost);
      }
      this.#place = { segment: segment.number, offset: 0 };
    }
    let batch: Buffer[] = [];
    let bytes = 0;
    for await (const { line, complete } of segmentLines(segment, this.#place.offset)) {
      if (!complete) break;
      batch.push(line);
      bytes += line.length + 1;
      if (batch.length < MOST_LINES && bytes < MOST_BYTES) continue;
      if (!(await this.#deliver(batch))) return true;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0 && !(await this.#deliver(batch))) return true;
    const isLast = segments.at(-1) === segment;
    if (!isLast) this.#place = { segment: segment.number + 1, offset: 0 };
    else this.#oldest = undefined;
    return !isLast || batch.length > 0;
  }

  /**
   * Sends lines until they are taken. What the receiver refuses for its content is sent in smaller parts.
   * @returns false if the rest of the segment is to be read again
   */
  async #deliver(lines: readonly Buffer[]): Promise<boolean> {
    let rest = lines;
    let size = lines.length;
    while (rest.length > 0) {
      const part = rest.slice(0, size);
      const answer = await this.#send(part);
      if (answer === undefined) return false;
      if (answer.outcome === "taken") {
        await this.#taken(part, answer.rejected);
        rest = rest.slice(size);
      } else if (part.length > 1) {
        size = Math.ceil(part.length / 2);
      } else {
        const done = await this.#sendBehind(rest);
        if (done === 0) {
          await this.#failed(answer.reason);
          return false;
        }
        rest = rest.slice(done);
        size = lines.length;
      }
    }
    return true;
  }

  /**
   * The first line was refused for its content. It is left out if the receiver takes one behind it: else the fault may
   * be that of the receiver, or of the address.
   * @returns the number of lines that are done
   */
  async #sendBehind(lines: readonly Buffer[]): Promise<number> {
    for (let count = 1; count < Math.min(lines.length, MOST_INVALID); count++) {
      const answer = await this.#send(lines.slice(count, count + 1));
      if (answer === undefined) return 0;
      if (answer.outcome !== "taken") continue;
      const ids = lines
        .slice(0, count)
        .map((line) => /"id":"([^"]+)"/.exec(line.toString("latin1"))?.[1] ?? "");
      this.#report("a sink of the decision log refuses records as invalid; it lacks them", {
        segment: this.#place.segment,
        offset: this.#place.offset,
        ids,
      });
      this.rejected += count;
      await this.#taken(lines.slice(0, count + 1), answer.rejected);
      return count + 1;
    }
    return 0;
  }

  /** The lines are done: the next time the sink begins behind them. */
  async #taken(lines: readonly Buffer[], rejected: number): Promise<void> {
    this.#failing = false;
    this.#waitMs = FIRST_WAIT_MS;
    this.#hasBegun = true;
    if (rejected > 0) {
      this.rejected += rejected;
      this.#report("a sink of the decision log did not keep all records that it took", { rejected });
    }
    const { segment, offset } = this.#place;
    this.#place = { segment, offset: lines.reduce((sum, line) => sum + line.length + 1, offset) };
    await this.#file.write(this.#place).catch(() => undefined);
  }

  /** Sends lines until the receiver takes them or refuses their content. undefined if the sink was closed before. */
  async #send(lines: readonly Buffer[]): Promise<Exclude<SinkAnswer, { outcome: "failed" }> | undefined> {
    const [first] = lines;
    this.#oldest = first === undefined ? undefined : timeOf(first);
    const body = await compressed(this.#options.format.body(lines));
    while (!this.#stop.signal.aborted) {
      const answer = await this.#post(body);
      if (answer.outcome === "taken") return answer;
      this.failures++;
      if (answer.outcome === "invalid") return answer;
      await this.#failed(answer.reason, answer.restMs);
    }
    return undefined;
  }

  /** Reports a fault once, and waits: as long as the receiver says, else longer each time. */
  async #failed(reason: string, restMs = this.#waitMs): Promise<void> {
    if (!this.#failing && !this.#stop.signal.aborted) {
      this.#report("a sink of the decision log does not take records", { reason });
    }
    this.#failing = true;
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
    await this.#wait(restMs, false);
  }

  async #post(body: Buffer): Promise<SinkAnswer> {
    const { url, format, token } = this.#options;
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": format.contentType,
          "content-encoding": "gzip",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: new Uint8Array(body),
        redirect: "error",
        signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
      });
      return await readAnswer(answer, format.rejectedIn, this.#now());
    } catch (error) {
      const cause = (error as Error).cause ?? error;
      return { outcome: "failed", reason: messageOf(cause) };
    }
  }

  #report(problem: string, fields: object): void {
    this.#options.report(problem, { sink: new URL(this.#options.url).host, ...fields });
  }

  /** @param wakes false if new lines do not end the wait */
  #wait(ms: number, wakes = true): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        if (!wakes && !this.#stop.signal.aborted) return;
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/**
 * The place, or the end of its segment: a loss of power may have taken lines that the sink has, and new ones are then
 * written where they were.
 */
async function withinChain(folder: string, place: SinkPlace): Promise<SinkPlace> {
  const segment = (await segmentsOf(folder)).find(({ number }) => number === place.segment);
  if (segment === undefined || segment.compressed) return place;
  try {
    const { size } = await stat(segment.path);
    return { ...place, offset: Math.min(place.offset, size) };
  } catch (error) {
    // It is being compressed, or was removed: no line of it is written any more.
    if (isGone(error)) return place;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

function timeOf(line: Buffer): number | undefined {
  const time = Date.parse(/"at":"([^"]+)"/.exec(line.toString("latin1", 0, 400))?.[1] ?? "");
  return Number.isNaN(time) ? undefined : time;
}
