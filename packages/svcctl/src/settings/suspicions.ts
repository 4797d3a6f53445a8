/** Finds likely mistakes in settings that do not work (spec/management-cli §5). */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { BASE_PATH } from "../api/endpoint.ts";
import type { Settings } from "./load-settings.ts";

const ACCESS_KEY = /^AKIA[IJ|][A-Z0-9]{14}Q$/;
const SECRET_KEY = /^[A-Za-z0-9+/]{38}(==|[A-Za-z0-9+/]=|[A-Za-z0-9+/]{2})$/;

/**
 * Returns one line for each setting with an unusual form. These are guesses, because other services issue other keys.
 * A missing key is not reported.
 */
export function suspicions({
  accessKeyId,
  secretAccessKey,
  endpointUrl,
  file,
  fault,
  missing,
}: Settings): readonly string[] {
  const found: string[] = [];
  if (fault !== undefined && !missing) found.push(`${file} was ignored: ${safeText(fault)}`);
  const configured = accessKeyId + secretAccessKey !== "";
  if (configured && !ACCESS_KEY.test(accessKeyId)) {
    found.push(`access_key_id value looks suspicious: ${safeText(accessKeyId)}`);
  }
  if (configured && !SECRET_KEY.test(secretAccessKey)) {
    found.push("secret_access_key value looks suspicious...");
  }
  if (!isUsualEndpoint(endpointUrl)) {
    found.push(`Suspicious URI format for server.endpoint_url: ${safeText(endpointUrl)}`);
  }
  return found;
}

/** Matches a URL with the base path, and one without any path, to which the base path is appended. */
function isUsualEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const path = new URL(text).pathname;
  return path === "/" || path.endsWith(BASE_PATH);
}
