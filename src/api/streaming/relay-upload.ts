/**
 * Passes an upload on whose body is signed in chunks (spec/exchange §6): verified and unwrapped on the way, in constant
 * memory. The data server is told the length at the beginning and gets the last bytes when all is verified, so that a
 * damaged body is one that was cut there, which it does not store.
 */

import { giveBack } from "@svc-authorizer/commands/returned-memory.ts";
import { beginChecksum } from "../../exchange/streaming/checksums.ts";
import { DamagedStream, type ExpectedTrailer, SignedChunks } from "../../exchange/streaming/signed-chunks.ts";
import type { RawCall } from "../../http/route.ts";
import type { ChunkSignatures, SentHeaders } from "../../identity/identity.ts";
import { arrivingPieces } from "./arriving-pieces.ts";
import type { DataServerAnswer, Sending } from "./data-server.ts";

/** An upload whose request is allowed. */
interface Upload {
  readonly call: Pick<RawCall, "request" | "deadline" | "startedAt" | "continueIfAsked" | "signal">;
  readonly chain: ChunkSignatures;
  readonly form: BodyForm;
  /** Begins the request to the data server, whose body has {@link BodyForm.bytes}. */
  readonly begin: () => Sending;
  /** Milliseconds for which the client may send nothing, and the data server not answer. */
  readonly idleMs: number;
}

/** The form of a body as the headers of its request tell it. */
interface BodyForm {
  /** Bytes of the content. */
  readonly bytes: number;
  readonly trailer: ExpectedTrailer | undefined;
}

const WITHOUT_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
const LENGTH = /^(?:0|[1-9]\d{0,14})$/;
/** Bytes per millisecond that a body has at least on average; a slower one gives its place up. */
const SLOWEST = 1;

/**
 * Reads the form of a body.
 * @throws DamagedStream for headers that do not tell it
 */
export function bodyForm(headers: SentHeaders): BodyForm {
  const length = headers.get("x-amz-decoded-content-length") ?? "";
  if (!LENGTH.test(length)) {
    throw new DamagedStream("malformed", "x-amz-decoded-content-length must be a number of bytes");
  }
  const bytes = Number(length);
  if (headers.get("x-amz-content-sha256") === WITHOUT_TRAILER) return { bytes, trailer: undefined };
  const name = (headers.get("x-amz-trailer") ?? "").trim().toLowerCase();
  const checksum = beginChecksum(name);
  if (checksum === undefined) throw new DamagedStream("malformed", "x-amz-trailer must name one checksum");
  return { bytes, trailer: { name, checksum } };
}

/**
 * Passes the body on, and returns the answer of the data server.
 * @throws DamagedStream, or what the data server's failure throws; its request is cut then
 */
export async function relayUpload(upload: Upload): Promise<DataServerAnswer> {
  const { call, chain, form, begin, idleMs } = upload;
  const chunks = new SignedChunks({ chain, ...form });
  let sending: Sending | undefined;
  const cut = (): void => sending?.abort();
  call.signal?.addEventListener("abort", cut, { once: true });
  let received = 0;
  /** The piece of which the rest is held back. */
  let held: Buffer | undefined;
  call.deadline = performance.now() + idleMs;
  call.continueIfAsked();
  try {
    for await (const pieces of arrivingPieces(call.request)) {
      call.signal?.throwIfAborted();
      const content: Buffer[] = [];
      for (const piece of pieces) {
        received += piece.length;
        content.push(...chunks.take(piece));
      }
      call.deadline = Math.min(performance.now(), call.startedAt + received / SLOWEST) + idleMs;
      const before = held === undefined ? pieces : [held, ...pieces];
      held = before.find((piece) => chunks.isHolding(piece));
      if (content.length > 0) {
        sending ??= begin();
        const last = held;
        const room = sending.write(content, () => {
          for (const piece of before) if (piece !== last) giveBack(piece);
        });
        if (room !== undefined) await room;
      }
      if (sending?.isOver === true) return await earlyAnswer(sending);
    }
    const rest = chunks.end();
    call.signal?.throwIfAborted();
    // It may have answered while the end of the request was waited for: the rest was not sent.
    if (sending?.isOver === true) return await earlyAnswer(sending);
    sending ??= begin();
    sending.end(rest);
    // The data server's own time limit is the shorter one.
    call.deadline = performance.now() + 2 * idleMs + 1_000;
    return await sending.answer;
  } catch (error) {
    cut();
    throw error;
  } finally {
    call.signal?.removeEventListener("abort", cut);
  }
}

/** The answer before the end of the body: it can be a refusal alone. Cuts the request. */
async function earlyAnswer(sending: Sending): Promise<DataServerAnswer> {
  const answer = await sending.answer;
  // Its body will never be whole, and a data server that waits for it would keep the connection.
  sending.abort();
  if (answer.status >= 300) return answer;
  throw new DamagedStream("cut", "the data server answers before it has all of the body");
}
