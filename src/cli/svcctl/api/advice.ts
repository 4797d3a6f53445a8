/** What people may do about a call that failed: a line that is shown to them, and never to programs. */

import { safeText } from "../output/safe-text.ts";
import type { Settings } from "../settings/load-settings.ts";
import { TransportFailure } from "./attempt.ts";

/** What the service says to whoever it does not know; other refusals say what is not allowed. */
const UNKNOWN_CALLER = "error authenticating request";

/** About an answer of 401: nobody was named, or nobody known. Undefined for a refusal of something known. */
export function adviceOnRefusal(message: string, settings: Settings): string | undefined {
  const { accessKeyId, secretAccessKey, endpointUrl, file, fault, missing = false } = settings;
  if (message !== UNKNOWN_CALLER) return undefined;
  if (fault !== undefined && !missing) return `${file} was left out: ${safeText(fault)}`;
  if (accessKeyId + secretAccessKey === "") {
    return `no access key is configured: svcctl config asks for one and keeps it in ${file}`;
  }
  const asked = `${safeText(endpointUrl)} does not accept the access key ${safeText(accessKeyId)}`;
  return `${asked}: svcctl doctor looks for what is wrong, svcctl config changes it`;
}

/** About a call without an answer. */
export function adviceOnSilence(error: unknown, { endpointUrl, file, missing = false }: Settings): string {
  const { cause } = error as { cause?: unknown };
  const url = safeText(endpointUrl);
  if (cause instanceof TransportFailure && cause.untrusted) {
    return "NODE_EXTRA_CA_CERTS=ca.pem names an authority to trust, NODE_OPTIONS=--use-system-ca those of the system";
  }
  const where = missing ? `${url} (there is no ${file})` : `${url}, as configured`;
  return `expected a server at ${where}: is it running there? svcctl config changes the address`;
}

/** About an answer that is none of the API's. */
export function adviceOnStranger({ endpointUrl }: Settings): string {
  return `${safeText(endpointUrl)} is something else than a management API, which is on the user listener`;
}
