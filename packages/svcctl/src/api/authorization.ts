/** The header with which calls show who makes them. */

import { keptLogin } from "../settings/kept-login.ts";
import type { Settings } from "../settings/load-settings.ts";
import { apiBase } from "./endpoint.ts";

/**
 * The header's value: the access key where one is configured, else the login token that `svcctl login` got from this very
 * server; undefined where there is neither.
 */
export function authorizationOf({
  accessKeyId,
  secretAccessKey,
  endpointUrl,
  file,
}: Pick<Settings, "accessKeyId" | "secretAccessKey" | "endpointUrl" | "file">): string | undefined {
  if (accessKeyId + secretAccessKey !== "")
    return `Basic ${Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64")}`;
  const login = keptLogin(file, apiBase(endpointUrl));
  return login === undefined ? undefined : `Bearer ${login.token}`;
}
