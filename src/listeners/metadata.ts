/**
 * `GET /.well-known/authzen-configuration`: where the AuthZEN endpoints are (AuthZEN 1.0, section 9; security.md §1.5).
 */

import { Router } from "express";
import { counted, methodNotAllowed } from "../http/unrouted.ts";
import type { HttpCounters } from "../observe/http-counters.ts";

/** Path of the document of a PDP whose URL has no path of its own. */
export const METADATA_PATH = "/.well-known/authzen-configuration";

const MAX_AGE_SECONDS = 300;

/** Where the metadata get the PDP's URL from; never from headers of a request. */
export interface MetadataOptions {
  /** `authorizer.public_url`: https, no query, no fragment. */
  readonly publicUrl: string | undefined;
  /** URL with the listener's real address, where only this machine reaches it; else undefined. */
  readonly ownUrl: () => string | undefined;
}

/** The metadata of a PDP at this URL, which has no slash at its end. */
export function metadataOf(url: string): Readonly<Record<string, string>> {
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
function pdpUrl({ publicUrl, ownUrl }: MetadataOptions): string | undefined {
  return publicUrl === undefined ? ownUrl() : publicUrl.replace(/\/+$/, "");
}

/**
 * Builds the route. A PDP whose URL has a path has its document at that path behind the well-known one, as the
 * standard says; the plain path is then nobody's.
 */
export function metadataRoutes(options: MetadataOptions, counters: HttpCounters): Router {
  const { publicUrl } = options;
  const ownPath = publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  const routes = Router({ strict: true, caseSensitive: true });
  routes
    .route(METADATA_PATH + literalPath(ownPath))
    .get(counted(counters, "GET", METADATA_PATH), (_request, response, next) => {
      const url = pdpUrl(options);
      if (url === undefined) {
        next();
        return;
      }
      response.setHeader("Cache-Control", `max-age=${MAX_AGE_SECONDS}`);
      response.json(metadataOf(url));
    })
    .all(counted(counters), (request, response, next) => {
      if (request.method === "GET" || request.method === "HEAD") next();
      else methodNotAllowed(["GET", "HEAD"])(request, response, next);
    });
  return routes;
}

/** A path of which Express takes every character as it is. */
function literalPath(path: string): string {
  return path.replace(/[{}()[\]+?!:*\\]/g, (character) => `\\${character}`);
}
