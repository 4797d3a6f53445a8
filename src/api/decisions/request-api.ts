/** Which API a request given to `/request` is for, and what the request says of that itself (security.md §2.6). */

import type { Api, WireRequest } from "../../request-map/endpoints.ts";
import { type WhichApi, whichApi } from "../../request-map/which-api.ts";
import type { Field, FieldReader } from "./native-fields.ts";

const APIS: readonly Api[] = ["main", "gateway", "replication"];

/**
 * Reads `api` and `bucket`. What the request says must not contradict them: a request decided by one table and served
 * by the other would pass unchecked. On what it does not say, such as a host that is not told, the caller is taken at
 * its word.
 */
export function readApi(
  reader: FieldReader,
  fields: ReadonlyMap<string, Field>,
  { header, query }: Pick<WireRequest, "header" | "query">,
  s3Domains: readonly string[],
): Pick<WireRequest, "api" | "bucket"> {
  const field = fields.get("api");
  const api = APIS.find((one) => one === field?.value);
  if (api === undefined) {
    reader.problem("/api", field === undefined ? "required" : `expected one of ${APIS.join(", ")}`);
    return { api: "main" };
  }
  const host = header("host");
  const chosen = whichApi({ host, query, header, s3Domains });
  const contradiction = contradictionOf(chosen, api, host !== undefined);
  if (contradiction !== undefined) reader.problem("/api", contradiction);
  const named = "problem" in chosen ? undefined : chosen.bucket;
  const bucket = readBucket(reader, fields.get("bucket"), api, host === undefined ? undefined : { named });
  return bucket === undefined ? { api } : { api, bucket };
}

function contradictionOf(chosen: WhichApi, api: Api, hostKnown: boolean): string | undefined {
  if ("problem" in chosen) return chosen.problem;
  if (chosen.api === "gateway")
    return api === "gateway" ? undefined : "the request is one for the S3 gateway";
  return api === "gateway" && hostKnown ? "the request is none for the S3 gateway" : undefined;
}

/** The bucket that the host names; where the host is not told, the one that the caller names. */
function readBucket(
  reader: FieldReader,
  field: Field | undefined,
  api: Api,
  host: { readonly named: string | undefined } | undefined,
): string | undefined {
  if (field === undefined) return host?.named;
  const bucket = reader.text(field, field.pointer);
  if (api !== "gateway") reader.problem(field.pointer, "only the S3 gateway has buckets");
  else if (host !== undefined && host.named !== bucket) {
    reader.problem(field.pointer, "the host names another bucket or none");
  }
  return bucket;
}
