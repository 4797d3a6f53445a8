/** Objects below a prefix, page by page. */

import { unlessEmpty } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import type { ApiClient, JsonObject } from "../api/api-client.ts";
import { eachPage } from "../api/pages.ts";

const PAGE = 1_000;

/** The objects to list. */
interface ObjectListing {
  readonly repository: string;
  readonly ref: string;
  readonly prefix: string;
  /** `/` for the entries of one level; absent for all objects. */
  readonly delimiter?: "/" | undefined;
  readonly userMetadata?: boolean;
}

/** Each page of objects and, with a delimiter, common prefixes, in the order of their paths. */
export async function* eachObjectPage(
  api: ApiClient,
  { repository, ref, prefix, delimiter, userMetadata = false }: ObjectListing,
): AsyncGenerator<readonly JsonObject[]> {
  const path = ["repositories", repository, "refs", ref, "objects", "ls"];
  const query = { prefix: unlessEmpty(prefix), delimiter, user_metadata: userMetadata, presign: false };
  for await (const { results } of eachPage(api, path, query, { first: PAGE, largest: PAGE })) yield results;
}

/** Each object, with its metadata where that is asked for. */
export async function* eachObject(api: ApiClient, listing: ObjectListing): AsyncGenerator<JsonObject> {
  for await (const page of eachObjectPage(api, listing)) yield* page;
}
