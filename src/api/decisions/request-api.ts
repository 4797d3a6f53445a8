/** The API that a request given to `/request` is for, and what the request says of that itself (security.md §2.6). */

import type { Problem } from "../../errors.ts";
import type { Api, WireRequest } from "../../request-map/endpoints.ts";
import { type WhichApi, whichApi } from "../../request-map/which-api.ts";

type Wire = Pick<WireRequest, "header" | "query">;

/**
 * The API and bucket as the caller names them: it is taken at its word where the request says nothing, such as a
 * host that is not told.
 */
interface Said {
  readonly api: Api;
  readonly bucket?: string;
}

/**
 * Returns where the request contradicts what the caller says: a request decided by one table and served by the other
 * would pass unchecked.
 */
export function apiProblems(
  { api, bucket }: Said,
  { header, query }: Wire,
  s3Domains: readonly string[],
): readonly Problem[] {
  const host = header("host");
  const chosen = whichApi({ host, query, header, s3Domains });
  const problems: Problem[] = [];
  const contradiction = contradictionOf(chosen, api, host !== undefined);
  if (contradiction !== undefined) problems.push({ pointer: "/api", message: contradiction });
  if (bucket === undefined) return problems;
  if (api !== "gateway") problems.push({ pointer: "/bucket", message: "only the S3 gateway has buckets" });
  else if (host !== undefined && bucketIn(chosen) !== bucket) {
    problems.push({ pointer: "/bucket", message: "the host names another bucket or none" });
  }
  return problems;
}

/** Returns the bucket that the host names; where the host is not told, the one that the caller names. */
export function bucketOf(
  { bucket }: Said,
  { header, query }: Wire,
  s3Domains: readonly string[],
): string | undefined {
  const host = header("host");
  if (bucket !== undefined || host === undefined) return bucket;
  return bucketIn(whichApi({ host, query, header, s3Domains }));
}

function bucketIn(chosen: WhichApi): string | undefined {
  return "problem" in chosen ? undefined : chosen.bucket;
}

function contradictionOf(chosen: WhichApi, api: Api, hostKnown: boolean): string | undefined {
  if ("problem" in chosen) return chosen.problem;
  if (chosen.api === "gateway")
    return api === "gateway" ? undefined : "the request is one for the S3 gateway";
  return api === "gateway" && hostKnown ? "the request is none for the S3 gateway" : undefined;
}
