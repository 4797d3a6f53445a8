/** The API that a request given to `/request` is for, and what the request says of that itself (spec/security §2.6). */

import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { Api, WireRequest } from "../../../request-map/endpoints.ts";
import { type WhichApi, whichApi } from "../../../request-map/which-api.ts";

/**
 * The API and bucket as the caller names them: it is taken at its word where the request says nothing, such as a
 * host that is not told.
 */
interface Said {
  readonly api: Api;
  readonly bucket?: string;
}

/**
 * Returns the API of the request and the bucket that its host names; where the host is not told, the one that the caller
 * names.
 * @param problems takes where the request contradicts the caller: a request decided by one table and served by the other
 *   would pass unchecked
 */
export function apiOf(
  { api, bucket }: Said,
  { header, query }: Pick<WireRequest, "header" | "query">,
  s3Domains: readonly string[],
  problems: Problem[],
): Pick<WireRequest, "api" | "bucket"> {
  const host = header("host");
  const chosen = whichApi({ host, query, header, s3Domains });
  const contradiction = contradictionOf(chosen, api, host !== undefined);
  if (contradiction !== undefined) problems.push({ pointer: "/api", message: contradiction });
  const named = host === undefined ? bucket : bucketIn(chosen);
  if (bucket !== undefined && api !== "gateway") {
    problems.push({ pointer: "/bucket", message: "only the S3 gateway has buckets" });
  } else if (bucket !== undefined && bucket !== named) {
    problems.push({ pointer: "/bucket", message: "the host names another bucket or none" });
  }
  return named === undefined ? { api } : { api, bucket: named };
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
