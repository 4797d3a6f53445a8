/**
 * Matches many resources with many patterns, without the indexes. It parses each pattern once, and each resource once
 * in a row. The results equal those of `matchesResource`.
 */

import { type Arn, parseArn } from "../../model/arn.ts";
import { bindUser } from "../patterns/resource-pattern.ts";
import { compileWildcard, type Wildcard } from "../patterns/wildcard.ts";

interface Pattern {
  /** The text before the first wildcard, which excludes most resources. */
  readonly literal: string;
  readonly arn: Arn;
  readonly wildcard: Wildcard;
}

/** The part of a pattern that a resource has to begin with. */
interface Beginning {
  readonly service: string;
  readonly account: string;
  /** The text of the resource before the first wildcard. */
  readonly literal: string;
}

const WILDCARD = /[*?]/;

/** Matches for one user. */
export class ResourceMatchers {
  readonly #user: string;
  readonly #partition: string;
  readonly #patterns = new Map<string, Pattern | "any" | "never">();
  #resource = "";
  #arn: Arn | undefined;

  /** @param user the name that `${user}` stands for */
  constructor(user: string, partition: string) {
    this.#user = user;
    this.#partition = partition;
  }

  /** True when the pattern of a statement, with the user's name in it, matches the resource. */
  matches(text: string, resource: string): boolean {
    const pattern = this.#pattern(text);
    if (typeof pattern === "string") return pattern === "any";
    const arn = this.#arnOf(resource);
    return (
      arn !== undefined &&
      arn.service === pattern.arn.service &&
      arn.account === pattern.arn.account &&
      arn.resource.startsWith(pattern.literal) &&
      pattern.wildcard.match(arn.resource)
    );
  }

  /** A resource that is asked for, parsed; undefined where it is no ARN of the partition. */
  asked(resource: string): Arn | undefined {
    return this.#arnOf(resource);
  }

  /** The part of the pattern of a statement that a resource has to begin with. Nothing of it is remembered. */
  beginning(text: string): Beginning | "any" | "never" {
    const bound = this.#bound(text);
    if (bound === "*") return "any";
    const arn = parseArn(bound, this.#partition);
    if (arn === undefined) return "never";
    return { service: arn.service, account: arn.account, literal: literalOf(arn) };
  }

  #bound(text: string): string {
    return bindUser(text, this.#user).toWellFormed();
  }

  #arnOf(resource: string): Arn | undefined {
    if (resource !== this.#resource) {
      this.#resource = resource;
      this.#arn = parseArn(resource.toWellFormed(), this.#partition);
    }
    return this.#arn;
  }

  #pattern(text: string): Pattern | "any" | "never" {
    let pattern = this.#patterns.get(text);
    if (pattern === undefined) {
      pattern = this.#compile(this.#bound(text));
      this.#patterns.set(text, pattern);
    }
    return pattern;
  }

  #compile(text: string): Pattern | "any" | "never" {
    if (text === "*") return "any";
    const arn = parseArn(text, this.#partition);
    if (arn === undefined) return "never";
    return { literal: literalOf(arn), arn, wildcard: compileWildcard(arn.resource) };
  }
}

/** The text before the first wildcard. */
function literalOf({ resource }: Arn): string {
  const end = resource.search(WILDCARD);
  return end < 0 ? resource : resource.slice(0, end);
}
