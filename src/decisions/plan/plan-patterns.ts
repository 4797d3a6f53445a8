/** Resource patterns of a plan: intersection with the pattern of a type, and trivial coverage of one by another. */

import { type Arn, parseArn } from "@svc-authorizer/policy/model/arn.ts";
import { patternsMeet } from "@svc-authorizer/policy/model/pattern-meeting.ts";

const NON_ASCII = /[^\p{ASCII}]/u;

/** The ARNs of a resource type, as a pattern. */
export class TypePattern {
  readonly #partition: string;
  readonly #arn: Arn | undefined;
  /** The pattern: the type's template with a star for each value. */
  readonly text: string;

  constructor(text: string, partition: string) {
    this.text = text;
    this.#partition = partition;
    this.#arn = parseArn(text, partition);
  }

  /** False if no ARN of the type matches the pattern; true if some may. */
  meets(pattern: string): boolean {
    const own = this.#arn;
    if (pattern === "*" || own === undefined) return true;
    const other = parseArn(pattern, this.#partition);
    if (other === undefined || other.service !== own.service || other.account !== own.account) return false;
    // The comparison ignores that `?` may match a part of a character of several bytes, and may keep a superfluous
    // pattern.
    if (NON_ASCII.test(other.resource) || NON_ASCII.test(own.resource)) return true;
    return patternsMeet(other.resource, own.resource);
  }
}

/** Units of work of looking for a beginning of one length. */
const PER_LENGTH = 50;

/** Patterns of the form `*` and `…*`, and the patterns that they cover. */
export class Coverage {
  readonly #partition: string;
  #everything = false;
  /** Service and account → beginnings that are covered. */
  readonly #beginnings = new Map<string, Set<string>>();
  readonly #lengths = new Set<number>();

  constructor(partition: string, patterns: Iterable<string>) {
    this.#partition = partition;
    for (const pattern of patterns) this.#add(pattern);
  }

  /** Units of work of one test. */
  get price(): number {
    return PER_LENGTH * this.#lengths.size;
  }

  #add(pattern: string): void {
    if (pattern === "*") this.#everything = true;
    const arn = parseArn(pattern, this.#partition);
    const beginning = arn === undefined ? undefined : beginningOf(arn.resource);
    if (arn === undefined || beginning === undefined) return;
    const key = keyOf(arn);
    const known = this.#beginnings.get(key) ?? new Set();
    this.#beginnings.set(key, known.add(beginning));
    this.#lengths.add(beginning.length);
  }

  /** True if a pattern of this set with another beginning matches everything that `pattern` matches. */
  coversMore(pattern: string): boolean {
    return this.#covers(pattern, true);
  }

  /** True if a pattern of this set trivially matches everything that `pattern` matches. */
  covers(pattern: string): boolean {
    return this.#covers(pattern, false);
  }

  #covers(pattern: string, more: boolean): boolean {
    if (pattern === "*") return this.#everything && !more;
    if (this.#everything) return true;
    const arn = parseArn(pattern, this.#partition);
    const beginnings = arn && this.#beginnings.get(keyOf(arn));
    if (arn === undefined || beginnings === undefined) return false;
    const own = more ? beginningOf(arn.resource) : undefined;
    const literal = arn.resource.split(/[*?]/, 1)[0] as string;
    for (const length of this.#lengths) {
      const beginning = literal.slice(0, length);
      if (beginning.length === length && beginning !== own && beginnings.has(beginning)) return true;
    }
    return false;
  }
}

/** The text before the one star at the end; undefined for any other pattern. */
function beginningOf(resource: string): string | undefined {
  const beginning = resource.slice(0, -1);
  return resource.endsWith("*") && !/[*?]/.test(beginning) ? beginning : undefined;
}

/** Service and account have no colon, so the key is unambiguous. */
function keyOf({ service, account }: Arn): string {
  return `${service}:${account}`;
}
