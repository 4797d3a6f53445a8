/**
 * A required resource during a look-up: the positions of its fields, and a hash of every prefix of its last field,
 * computed once for all indexes. Looking slices up in a Map would cost several times as much.
 */

const COLON = 0x3a;
/** Makes collisions unpredictable for authors of policies. Results do not depend on it. */
const SEED = (Math.random() * 0x7fffffff) | 0;

function fold(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01000193);
}

function foldText(hash: number, text: string): number {
  let folded = hash;
  for (let index = 0; index < text.length; index++) folded = fold(folded, text.charCodeAt(index));
  return folded;
}

/** The hash of a service, an account and the beginning of a last field. */
export function hashOf(service: string, account: string, literal: string): number {
  const fields = fold(foldText(fold(foldText(SEED, service), COLON), account), COLON);
  return foldText(fields, literal);
}

/** One object serves all look-ups, so that a look-up allocates nothing. */
export class RequiredResource {
  text = "";
  /** Index of the last field. */
  start = 0;
  /** Length of the last field. */
  length = 0;
  /** False for a text that is not an ARN of the partition: only `*` and templates can match it. */
  isArn = false;
  #serviceStart = 0;
  #serviceEnd = 0;
  #accountStart = 0;
  #hashes = new Int32Array(256);
  #hashed = 0;

  /** Parses a resource. */
  set(text: string, arnPrefix: string): void {
    this.text = text;
    this.isArn = text.startsWith(arnPrefix) && this.#locate(arnPrefix.length);
  }

  #locate(serviceStart: number): boolean {
    const { text } = this;
    const serviceEnd = text.indexOf(":", serviceStart);
    if (serviceEnd <= serviceStart) return false;
    const regionEnd = text.indexOf(":", serviceEnd + 1);
    if (regionEnd < 0) return false;
    const accountEnd = text.indexOf(":", regionEnd + 1);
    if (accountEnd < 0 || accountEnd + 1 === text.length) return false;
    this.#serviceStart = serviceStart;
    this.#serviceEnd = serviceEnd;
    this.#accountStart = regionEnd + 1;
    this.start = accountEnd + 1;
    this.length = text.length - this.start;
    let hash = SEED;
    for (let index = serviceStart; index <= serviceEnd; index++) hash = fold(hash, text.charCodeAt(index));
    for (let index = this.#accountStart; index <= accountEnd; index++)
      hash = fold(hash, text.charCodeAt(index));
    this.#hashes[0] = hash;
    this.#hashed = 0;
    return true;
  }

  /** The hash of service, account and the first `length` characters of the last field, which has at least these. */
  hash(length: number): number {
    if (length > this.#hashed) this.#hashTo(length);
    return this.#hashes[length] as number;
  }

  #hashTo(length: number): void {
    if (length >= this.#hashes.length) {
      const larger = new Int32Array(2 * length);
      larger.set(this.#hashes);
      this.#hashes = larger;
    }
    const hashes = this.#hashes;
    let hash = hashes[this.#hashed] as number;
    for (let index = this.#hashed; index < length; index++) {
      hash = fold(hash, this.text.charCodeAt(this.start + index));
      hashes[index + 1] = hash;
    }
    this.#hashed = length;
  }

  /** True when the ARN has this service and account and its last field begins with the literal. */
  begins(service: string, account: string, literal: string): boolean {
    return (
      this.text.startsWith(literal, this.start) &&
      this.#serviceEnd - this.#serviceStart === service.length &&
      this.text.startsWith(service, this.#serviceStart) &&
      this.start - 1 - this.#accountStart === account.length &&
      this.text.startsWith(account, this.#accountStart)
    );
  }
}
