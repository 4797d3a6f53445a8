/**
 * Answers with a large text that never changes. It is made and compressed once, and all answers are sent from the same
 * bytes: those that nobody takes hold no memory of their own.
 */

import { createHash } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Reply } from "./route.ts";

/** A text in one coding. */
interface Coded {
  readonly body: Buffer;
  readonly headers: readonly string[];
}

/** A quality of Brotli that takes milliseconds; the default takes a second. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } };

/** Codings in the order in which they are chosen. */
const CODINGS = [
  ["br", (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI) as Promise<Buffer>],
  ["gzip", promisify<Buffer, Buffer>(gzip)],
] as const;

/**
 * Returns what answers a request: 200 in the best coding that the client takes, 304 for a client that has the text.
 * @param make makes the text when it is first asked for
 */
export function constantAnswer(
  type: string,
  make: () => string,
): (headers: IncomingHttpHeaders) => Promise<Reply> {
  let made: Promise<Made> | undefined;
  return async (headers) => {
    made ??= madeOf(make());
    const { tag, plain, coded } = await made;
    const known = headers["if-none-match"];
    const { body, headers: own } = CODINGS.reduce<Coded>(
      (chosen, [coding]) =>
        chosen === plain && takes(headers, coding) ? (coded.get(coding) ?? plain) : chosen,
      plain,
    );
    if (known !== undefined && hasTag(known, tag)) return { status: 304, headers: own };
    return { status: 200, type, bytes: body, headers: own };
  };
}

interface Made {
  readonly tag: string;
  readonly plain: Coded;
  readonly coded: ReadonlyMap<string, Coded>;
}

async function madeOf(text: string): Promise<Made> {
  const bytes = Buffer.from(text);
  const tag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
  // Weak: one tag for all codings.
  const common = ["ETag", `W/${tag}`, "Vary", "Accept-Encoding"];
  const coded = await Promise.all(
    CODINGS.map(async ([coding, compress]): Promise<[string, Coded]> => {
      return [coding, { body: await compress(bytes), headers: [...common, "Content-Encoding", coding] }];
    }),
  );
  return { tag, plain: { body: bytes, headers: common }, coded: new Map(coded) };
}

/** True if a client takes a coding (RFC 9110, section 12.5.3); one that names none gets the text as it is. */
function takes({ "accept-encoding": accepted = "" }: IncomingHttpHeaders, coding: string): boolean {
  const weights = new Map(
    String(accepted)
      .toLowerCase()
      .split(",")
      .map((element) => {
        const [name = "", weight] = element.split(";").map((part) => part.trim());
        return [name, Number(weight?.replace(/^q\s*=\s*/, "") ?? 1)] as const;
      }),
  );
  return (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}

/** True if a list of tags has this one, weak or strong, or `*` (RFC 9110, section 13.1.2). */
function hasTag(list: string, tag: string): boolean {
  return list.split(",").some((one) => ["*", tag].includes(one.trim().replace(/^W\//, "")));
}
