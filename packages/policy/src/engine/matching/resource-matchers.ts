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
      pattern = this.#compile(bindUser(text, this.#user).toWellFormed());
      this.#patterns.set(text, pattern);
    }
    return pattern;
  }

  #compile(text: string): Pattern | "any" | "never" {
    if (text === "*") return "any";
    const arn = parseArn(text, this.#partition);
    if (arn === undefined) return "never";
    const literal = arn.resource.split(WILDCARD, 1)[0] as string;
    return { literal, arn, wildcard: compileWildcard(arn.resource) };
  }
}
