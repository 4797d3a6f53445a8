/** The effect of SIGHUP: tokens, certificates, data sets and the shadow candidate are read again, independently. */

import { auditingUnknown } from "../api/rest/unknown-outcome.ts";
import { reloadedValues } from "../config/reloaded-values.ts";
import type { ConfigValues } from "../config/table.ts";
import { listenerTls } from "../listeners/tls.ts";
import { isBreakingOff } from "./breaking-off.ts";
import { loadConfiguredDatasets } from "./datasets.ts";
import { bearerOptions } from "./listeners/listener-settings.ts";
import type { ServiceOptions, ServiceParts } from "./parts.ts";

/**
 * The values in force after the configuration was read again. Items that need a restart keep theirs, and the log names them: a
 * process that takes the place of another one must not decide by others than the rest.
 */
export function valuesInForce({ data }: Pick<ServiceParts, "data">, read: ConfigValues): ConfigValues {
  const { values, waiting } = reloadedValues(data.values, read);
  if (waiting.length > 0) {
    data.logger.warn("the configuration has changed, and needs a restart to be in force", { items: waiting });
  }
  return values;
}

/** Reads again; what is faulty stays as it was and is logged. The end of the service waits for it. */
export function reloadParts(
  parts: ServiceParts,
  values: ConfigValues,
  options: ServiceOptions,
): Promise<void> {
  const reload = readAgain(parts, values, options);
  parts.reloads.add(reload);
  return reload;
}

async function readAgain(parts: ServiceParts, values: ConfigValues, options: ServiceOptions): Promise<void> {
  const { data, audit } = parts;
  data.logger.reopen();
  audit.reopen();
  reloadListeners(parts, values);
  await parts.shadow?.load();
  try {
    await auditingUnknown(
      () => loadConfiguredDatasets(data, values, parts.datasets, options.env, parts.ending.signal),
      (outcome) => audit.event("reload", { what: "data sets", ...outcome }),
    );
    audit.event("reload", { what: "data sets" });
  } catch (error) {
    if (isBreakingOff(error, parts.ending.signal)) return;
    data.logger.error("data sets could not be loaded again; the former data stay in force", { error });
  }
}

/** Reads tokens and certificates again. */
export function reloadListeners(parts: ServiceParts, values: ConfigValues): void {
  const { data, audit } = parts;
  try {
    const bearer = bearerOptions(values);
    parts.service.replaceTokens(bearer);
    parts.scrape.replaceTokens(bearer);
    parts.extAuthz?.replaceTokens(bearer);
    audit.event("reload", { what: "tokens" });
  } catch (error) {
    data.logger.error("tokens could not be read again; the former ones stay in force", { error });
  }
  reloadCertificates(parts, values);
}

/** Shows the certificates that the files hold now; where they are faulty the former ones stay, and the log says so. */
export function reloadCertificates(
  { data, audit, service, user, extAuthz, streaming }: ServiceParts,
  values: ConfigValues,
): void {
  try {
    const read = listenerTls(values);
    const [forService, forUser] = [read.service.tls, read.user.tls];
    if (forService !== undefined) {
      service.replaceTls(forService);
      extAuthz?.replaceTls(forService);
      streaming?.replaceTls(forService);
    }
    if (forUser !== undefined) user.replaceTls(forUser);
    if (forService !== undefined || forUser !== undefined) audit.event("reload", { what: "certificates" });
  } catch (error) {
    data.logger.error("certificates could not be read again; the former ones stay in force", { error });
  }
}
