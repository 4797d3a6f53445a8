/** Finds the address of the API: the endpoint URL of the configuration with its base path (spec/management-cli §1). */

/** The base path where the URL has none. */
export const BASE_PATH = "/api/v1";

/** The base path of the replication API, which stands beside {@link BASE_PATH}. */
export const REPLICATION_PATH = "/service/replication/v1";

/**
 * The URL that paths of the API are appended to, without a slash at its end.
 * @param beside path of an API beside the management API; default that one
 * @throws Error when the text is no http or https URL, or holds a user name, which would end in logs
 */
export function apiBase(endpointUrl: string, beside?: string): string {
  const url = URL.canParse(endpointUrl) ? new URL(endpointUrl) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new Error("invalid server.endpoint_url: expected a URL such as http://localhost:8000");
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error("invalid server.endpoint_url: credentials belong into credentials.*, not into the URL");
  }
  const path = url.pathname.replace(/(?<!\/)\/+$/, "");
  if (beside !== undefined)
    return url.origin + (path.endsWith(BASE_PATH) ? path.slice(0, -BASE_PATH.length) : path) + beside;
  return url.origin + (path === "" ? BASE_PATH : path);
}
