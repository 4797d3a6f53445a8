/**
 * Signatures of the chunks of a body, each over the one before; the first over that of the request.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and sigv4-streaming-trailers.html
 */

import type { ChunkSignatures } from "../identity.ts";
import type { Signature } from "./read-signature.ts";
import { isSameDigest } from "./signing.ts";
import type { SigningKey } from "./signing-key.ts";

/** SHA-256 of nothing. */
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/** Verifies the chunks of one body in their order. */
export class ChunkChain implements ChunkSignatures {
  readonly #key: SigningKey;
  readonly #when: string;
  #last: string;

  /** @param request the signature of the request, which was verified with the same key */
  constructor(
    key: SigningKey,
    { timestamp, scope, given }: Pick<Signature, "timestamp" | "scope" | "given">,
  ) {
    this.#key = key;
    this.#when = `${timestamp}\n${scope}`;
    this.#last = given;
  }

  isNext(digest: string, given: string): boolean {
    return this.#follows(
      `AWS4-HMAC-SHA256-PAYLOAD\n${this.#when}\n${this.#last}\n${EMPTY}\n${digest}`,
      given,
    );
  }

  isTrailer(digest: string, given: string): boolean {
    return this.#follows(`AWS4-HMAC-SHA256-TRAILER\n${this.#when}\n${this.#last}\n${digest}`, given);
  }

  #follows(text: string, given: string): boolean {
    this.#last = this.#key.signText(text);
    return isSameDigest(this.#last, given);
  }
}
