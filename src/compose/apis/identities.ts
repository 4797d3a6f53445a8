/** Opens the authentication of end users once for all entrances. */

import { cacheSettings } from "../../config/cache-settings.ts";
import type { FailureSharing } from "../../identity/failed-attempts.ts";
import type { Identities } from "../../identity/identity.ts";
import { openIdentities } from "../../identity/open-identities.ts";
import type { DataParts } from "../data.ts";
import { sessionClaims } from "./session-cookies.ts";

/** Access keys, login tokens and signatures of end users. */
export function openServiceIdentities(
  { values, directory, logger }: DataParts,
  sharing: FailureSharing | undefined,
): Identities {
  return openIdentities({
    directory,
    cache: cacheSettings(values),
    secretKey: values["auth.encrypt.secret_key"] ?? "",
    previousSecretKey: values["authorizer.previous_secret_key"],
    region: values["gateways.s3.region"],
    loginDuration: values["auth.login_duration"],
    loginMaxDuration: values["auth.login_max_duration"],
    sessionClaims: sessionClaims(values),
    maxFailures: values["authorizer.forward_auth.max_failures"],
    onLostSessions: (sessions) =>
      logger.warn(
        "sign-ins could not be noted: lists of sessions lack them, and the end of all sessions ends them",
        {
          sessions,
        },
      ),
    ...(sharing !== undefined && { sharing }),
  });
}
