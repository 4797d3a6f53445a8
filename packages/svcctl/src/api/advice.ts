/** Advice on a failed call: one line that is shown to people, never to programs. */

import { existsSync } from "node:fs";
import type { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import { TransportFailure } from "@svc-authorizer/commands/rest-client/transport-failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { loginFile } from "../settings/kept-login.ts";
import type { Settings } from "../settings/load-settings.ts";

/** The service's message to an unknown caller; other refusals name the permission that is missing. */
const UNKNOWN_CALLER = "error authenticating request";

/** Messages with which other listeners of the service answer calls of this API; other servers often send no JSON. */
const STRANGERS: ReadonlySet<string> = new Set([
  "a bearer token is needed",
  "there is nothing at this path",
  "",
]);

/** The beginning of this service's answer to calls that only a data server knows. */
const NO_DATA_HERE = "svc-authorizer has nothing at this path";

/** About an answer of 400 or more. Undefined where it speaks for itself. */
export function adviceOnRefusal({ status, message }: ApiFailure, settings: Settings): string | undefined {
  const { accessKeyId, secretAccessKey, endpointUrl, file, fault, missing = false } = settings;
  if (STRANGERS.has(message) && status < 500) return adviceOnStranger(settings);
  if (status === 404 && message.startsWith(NO_DATA_HERE)) {
    const url = safeText(endpointUrl);
    return `${url} is svc-authorizer, not a data server: name the data server by SVCCTL_SERVER_ENDPOINT_URL, or by svcctl config`;
  }
  if (message !== UNKNOWN_CALLER) return undefined;
  if (fault !== undefined && !missing) return `${file} was left out: ${safeText(fault)}`;
  if (accessKeyId + secretAccessKey === "") {
    const login = existsSync(loginFile(file));
    if (login) return `the sign-in is over, or is one at another server: sign in again with svcctl login`;
    return `no access key is configured: svcctl config asks for one and keeps it in ${file}, svcctl login signs in through a browser`;
  }
  const asked = `${safeText(endpointUrl)} does not accept the access key ${safeText(accessKeyId)}`;
  return `${asked}: svcctl doctor looks for what is wrong, svcctl config changes it`;
}

/** About a call without an answer. Undefined where answers came, and were not what was hoped for. */
export function adviceOnSilence(
  error: unknown,
  { endpointUrl, file, missing = false }: Settings,
): string | undefined {
  const { cause } = error as { cause?: unknown };
  if (!(cause instanceof TransportFailure)) return undefined;
  const url = safeText(endpointUrl);
  if (cause.untrusted) {
    return "NODE_EXTRA_CA_CERTS=ca.pem names an authority to trust, NODE_OPTIONS=--use-system-ca those of the system";
  }
  if (cause.message.endsWith("wrong version number")) {
    return `${url} speaks no TLS: is it http:, not https:?`;
  }
  const where = missing ? `${url} (there is no ${file})` : `${url}, as configured`;
  return `expected a server at ${where}: is it running there? svcctl config changes the address`;
}

/** About an answer that is none of the API's. */
export function adviceOnStranger({ endpointUrl }: Settings): string {
  return `${safeText(endpointUrl)} is no management API: that is at the user= address of the service's ready line`;
}
