/** Patterns for resources that were used (spec/decision-log §5.3). */

import { formatArn, parseArn } from "@svc-authorizer/policy/model/arn.ts";

/** Ways to make patterns of resources: none; a common prefix; everything in a repository. */
export const GENERALISATIONS = ["none", "prefix", "repository"] as const;

/** One of these ways. */
export type Generalisation = (typeof GENERALISATIONS)[number];

/** Segments that a pattern has before its wildcard: `repository/data/object/*`. */
const LEAST_SEGMENTS = 3;
/** Segments that name a repository. */
const REPOSITORY_SEGMENTS = 2;
const REPOSITORY = "repository";

/**
 * Returns a pattern for each resource: for several that begin alike the common beginning, up to a `/`, with `*`.
 * @param resources ARNs that have no wildcards
 */
export function generalised(
  resources: readonly string[],
  how: Generalisation,
  partition: string,
): ReadonlyMap<string, string> {
  const patterns = new Map<string, string>();
  for (const [key, alike] of Map.groupBy(resources, (one) => keyOf(one, how, partition))) {
    for (const resource of alike) {
      patterns.set(resource, key === undefined ? resource : patternOf(key, alike, how, partition));
    }
  }
  return patterns;
}

/** The part that resources of one pattern have in common at least; undefined: a resource stands for itself. */
function keyOf(resource: string, how: Generalisation, partition: string): string | undefined {
  const arn = how === "none" ? undefined : parseArn(resource, partition);
  if (arn === undefined) return undefined;
  const segments = arn.resource.split("/");
  const inRepository = how === "repository" && segments[0] === REPOSITORY;
  const most = inRepository ? REPOSITORY_SEGMENTS : LEAST_SEGMENTS;
  if (segments.length <= most) return undefined;
  return formatArn({ ...arn, resource: segments.slice(0, most).join("/") });
}

function patternOf(key: string, alike: readonly string[], how: Generalisation, partition: string): string {
  const isWhole =
    how === "repository" && parseArn(key, partition)?.resource.split("/").length === REPOSITORY_SEGMENTS;
  if (isWhole) return `${key}/*`;
  const distinct = [...new Set(alike)];
  const [first = ""] = distinct;
  if (distinct.length === 1) return first;
  let common = first.slice(0, first.lastIndexOf("/") + 1);
  for (const resource of distinct) {
    while (!resource.startsWith(common))
      common = common.slice(0, common.lastIndexOf("/", common.length - 2) + 1);
  }
  return `${common}*`;
}
