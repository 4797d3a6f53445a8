/** The set-up of the first administrator, as the configuration has it. */

import { openSetup, openSharedSetup, type ServiceSetup } from "../../bootstrap/setup.ts";
import { setupTokenFile } from "../../config/setup-token-file.ts";
import type { DataParts } from "../data.ts";

/** Opens the set-up. A process of several gets the token of the first, or undefined where the set-up is done. */
export async function openServiceSetup(
  { values, directory, catalog, logger, isContested, journal }: DataParts,
  shared: { readonly setupToken: string | undefined } | undefined,
): Promise<ServiceSetup> {
  const parts = {
    directory,
    catalog,
    guards: values["authorizer.guards"],
    logger,
    isContested,
    file: setupTokenFile(values),
    secretKey: values["auth.encrypt.secret_key"],
    logId: journal?.logId,
  };
  return shared === undefined ? openSetup(parts) : openSharedSetup(parts, shared.setupToken);
}
