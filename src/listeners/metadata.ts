/**
 * `GET /.well-known/authzen-configuration`: where the AuthZEN endpoints are (AuthZEN 1.0, section 9; spec/security §1.5).
 */

import { nothingHere } from "../http/errors.ts";
import type { Route } from "../http/route.ts";

/** Path of the document of a PDP whose URL has no path of its own. */
export const METADATA_PATH = "/.well-known/authzen-configuration";

const MAX_AGE_SECONDS = 300;

/** Sources of the PDP's URL in the metadata: never headers of a request. */
interface MetadataOptions {
  /** `authorizer.public_url`: https, no query, no fragment. */
  readonly publicUrl: string | undefined;
  /** URL with the listener's real address, where only this machine reaches it; else undefined. */
  readonly ownUrl: () => string | undefined;
}

/** The metadata of a PDP at this URL, which has no slash at its end. */
function metadataOf(url: string): Readonly<Record<string, string>> {
  return {
    policy_decision_point: url,
    access_evaluation_endpoint: `${url}/access/v1/evaluation`,
    access_evaluations_endpoint: `${url}/access/v1/evaluations`,
    search_subject_endpoint: `${url}/access/v1/search/subject`,
    search_resource_endpoint: `${url}/access/v1/search/resource`,
    search_action_endpoint: `${url}/access/v1/search/action`,
  };
}

/** The PDP's URL: the configured one, or on loopback the listener's own; undefined where there is none to tell. */
export function pdpUrl({ publicUrl, ownUrl }: MetadataOptions): string | undefined {
  return publicUrl === undefined ? ownUrl() : publicUrl.replace(/\/+$/, "");
}

/**
 * Builds the route. The document of a PDP whose URL has a path is at the well-known path followed by that path, as the
 * standard says, and nowhere else.
 */
export function metadataRoute(options: MetadataOptions): Route {
  const { publicUrl } = options;
  const ownPath = publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  return {
    method: "GET",
    head: true,
    path: METADATA_PATH + ownPath,
    shownPath: METADATA_PATH,
    handle: () => {
      const url = pdpUrl(options);
      if (url === undefined) throw nothingHere();
      const headers = ["Cache-Control", `max-age=${MAX_AGE_SECONDS}`];
      return { status: 200, body: JSON.stringify(metadataOf(url)), headers };
    },
  };
}
