/** Texts that are lists: some members and parameters are read as one, and the documents do not say which. */

import { arn, range } from "../hostile-calls.ts";

const terms = (attribute: string, count: number): string =>
  range(count, (n) => `${attribute} eq "${n.toString(36)}"`).join(" or ");

/** Texts with so many values: names, terms of a filter, of a filter in a path, resources, words, brackets and segments. */
export const LISTS_IN_TEXTS: readonly ((count: number) => string)[] = [
  (count) => range(count, (n) => n.toString(36)).join(),
  (count) => terms("userName", count),
  (count) => `members[${terms("value", count)}]`,
  (count) => JSON.stringify(range(count, (n) => arn(`r${n}/x`))),
  (count) => range(count, (n) => n.toString(36)).join(" "),
  (count) => `${"(".repeat(count)}userName pr${")".repeat(count)}`,
  (count) => "/a".repeat(count),
];
