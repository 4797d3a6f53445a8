/**
 * Compares resource patterns with a set of ARNs (spec/security §2.5): does a pattern contain the set, does it intersect
 * it?
 */

import { type Arn, parseArn } from "../../model/arn.ts";
import type { ResourceSet } from "../../model/resource-set.ts";
import { hasWildcard } from "./wildcard.ts";
import { containsTexts, meetsTexts } from "./wildcard-on-sets.ts";

const COLONS_OF_HEADER = 5;

/** The fields before the resource in the literal beginning of a set. */
type Header = Arn | "unknown" | "no_arn";

/** The header, and as `resource` the rest of the first part. */
function headerOf(first: string, partition: string): Header {
  if (first.split(":", COLONS_OF_HEADER + 1).length <= COLONS_OF_HEADER) return "unknown";
  // A resource may begin in a later part, but an ARN without a resource does not parse.
  const arn = parseArn(`${first}+`, partition);
  return arn === undefined ? "no_arn" : { ...arn, resource: arn.resource.slice(0, -1) };
}

/** A set of ARNs, parsed once for many patterns. */
export class SetMatcher {
  readonly #partition: string;
  readonly #header: Header;
  /** The parts of the last field. */
  readonly #parts: readonly string[];
  /** True if a member may end before its last field, and so may not be an ARN. */
  readonly #mayLackResource: boolean;
  /** Characters of the set, for the cost of a question. */
  readonly length: number;

  /** @param set a set of at least two parts (a set of one part is an ARN) */
  constructor(set: ResourceSet, partition: string) {
    const parts = set.parts.map((part) => part.toWellFormed());
    this.#partition = partition;
    this.#header = headerOf(parts[0] as string, partition);
    this.#parts = typeof this.#header === "string" ? parts : [this.#header.resource, ...parts.slice(1)];
    this.#mayLackResource = this.#parts.every((part) => part === "");
    this.length = parts.reduce((sum, part) => sum + part.length, 0);
  }

  /**
   * True when the pattern matches every member.
   * @param pattern a statement's resource with the user's name in it
   */
  contains(pattern: string): boolean {
    if (pattern === "*") return true;
    if (this.#mayLackResource || typeof this.#header === "string") return false;
    const rest = this.#fieldOf(pattern, this.#header);
    if (rest === undefined) return false;
    const prefix = literalPrefix(rest);
    // Without a star, a pattern matches texts of finitely many lengths; a set of two parts has infinitely many.
    if (!rest.includes("*", prefix.length) || !beginAlike(prefix, this.#parts[0] as string)) return false;
    return rest.length === prefix.length + 1
      ? (this.#parts[0] as string).startsWith(prefix)
      : containsTexts(rest, this.#parts);
  }

  /**
   * True if the pattern may match a member.
   * @param pattern a statement's resource with the user's name in it
   */
  meets(pattern: string): boolean {
    if (pattern === "*") return true;
    if (this.#header === "no_arn") return false;
    if (this.#header === "unknown") return parseArn(pattern, this.#partition) !== undefined;
    const rest = this.#fieldOf(pattern, this.#header);
    return (
      rest !== undefined &&
      beginAlike(literalPrefix(rest), this.#parts[0] as string) &&
      meetsTexts(rest, this.#parts)
    );
  }

  /** The last field of a pattern whose other fields equal those of the set. The region is never compared. */
  #fieldOf(pattern: string, header: Arn): string | undefined {
    const arn = parseArn(pattern, this.#partition);
    if (arn === undefined || arn.service !== header.service || arn.account !== header.account)
      return undefined;
    return arn.resource;
  }
}

/** The text before the first wildcard. */
function literalPrefix(pattern: string): string {
  return hasWildcard(pattern) ? pattern.slice(0, pattern.search(/[*?]/)) : pattern;
}

/** True when one of the texts begins with the other. */
function beginAlike(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}
