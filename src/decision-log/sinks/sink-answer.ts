/** Reads what a sink says to a batch of lines (spec/decision-log §2.9). */

/** Largest part of an answer that is read. */
const MOST_BYTES = 64 << 10;
/** Longest time that a sink may ask to be left alone. */
const LONGEST_REST_MS = 3_600_000;

/** An answer. */
export type SinkAnswer =
  | { readonly outcome: "taken"; readonly rejected: number }
  /** The content is refused: to send it again is of no use. */
  | { readonly outcome: "invalid"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string; readonly restMs?: number };

/** Statuses that are about what was sent, and not about who sent it or where. */
const INVALID: ReadonlySet<number> = new Set([400, 413, 422]);

const MEANINGS: ReadonlyMap<number, string> = new Map([
  [400, "the receiver calls the records invalid"],
  [401, "the receiver does not accept the token of the sinks"],
  [403, "the token of the sinks does not permit to send records"],
  [404, "the receiver has nothing at the address of the sink"],
  [405, "the receiver takes no POST at the address of the sink"],
  [413, "the records are too large for the receiver"],
  [415, "the receiver does not know the form of the records"],
  [422, "the receiver calls the records invalid"],
]);

/**
 * Reads an answer.
 * @param rejectedIn the number of lines that a successful answer says it did not keep
 */
export async function readAnswer(
  answer: Response,
  rejectedIn: ((text: string) => number) | undefined,
  now: number,
): Promise<SinkAnswer> {
  const { status, ok } = answer;
  if (ok && rejectedIn !== undefined) return { outcome: "taken", rejected: rejectedIn(await textOf(answer)) };
  await answer.body?.cancel();
  if (ok) return { outcome: "taken", rejected: 0 };
  const meaning = MEANINGS.get(status);
  const reason = meaning === undefined ? `status ${status}` : `status ${status}: ${meaning}`;
  if (INVALID.has(status)) return { outcome: "invalid", reason };
  const restMs = restOf(answer.headers.get("retry-after"), now);
  return { outcome: "failed", reason, ...(restMs !== undefined && { restMs }) };
}

/** The beginning of an answer. */
async function textOf({ body }: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MOST_BYTES) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** The time of `Retry-After`, which is a number of seconds or a date; undefined for anything else. */
function restOf(text: string | null, now: number): number | undefined {
  if (text === null) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_REST_MS);
}
