/** The first filling of the store that the configuration asks for (`authorizer.bootstrap`). */

import { join } from "node:path";
import { ADMIN_FILE } from "../bootstrap/admin-file.ts";
import { type BootstrapReport, bootstrap } from "../bootstrap/bootstrap.ts";
import type { SetChange } from "../bootstrap/plan-set.ts";
import type { ConfigValues } from "../config/table.ts";
import type { AuditEvents } from "../observe/audit-port.ts";
import type { DataParts } from "./data.ts";

/** File for generated credentials of the first administrator: beside the data, or in the working folder. */
export function adminFileOf(values: ConfigValues): string {
  return values["database.type"] === "local"
    ? join(values["database.local.path"], ADMIN_FILE)
    : join(process.cwd(), ADMIN_FILE);
}

/** Bootstraps as configured and says in log and audit log what was done. Throws what the bootstrap throws. */
export async function bootstrapStore(
  { directory, catalog, values, logger }: DataParts,
  audit: AuditEvents,
): Promise<void> {
  const mode = values["authorizer.bootstrap"];
  if (mode !== "external" && mode !== "simplified") return;
  const report = await bootstrap({
    directory,
    catalog,
    mode,
    defaultUserGroup: values["auth.remote_authenticator.default_user_group"],
    admin: {
      username: values["authorizer.bootstrap_admin.username"],
      access_key_id: values["authorizer.bootstrap_admin.access_key_id"],
      secret_access_key: values["authorizer.bootstrap_admin.secret_access_key"],
    },
    adminFile: adminFileOf(values),
  });
  const { outcome, admin } = report;
  if (outcome === "unchanged") return;
  if (outcome === "other_mode") {
    logger.warn("the store was set up in another mode and stays so; svc-authorizer reset empties it", {
      configured: mode,
      mode: report.mode,
    });
    return;
  }
  const fields = summaryOf(report);
  audit.event("setup", { actor: "bootstrap", ...fields });
  logger.info(outcome === "installed" ? "store bootstrapped" : "preconfigured policies upgraded", fields);
  if (report.changes.some(({ what }) => what === "kept")) {
    logger.warn("kept as somebody changed or deleted them", { kept: fields.kept });
  }
  if (admin?.file !== undefined) {
    logger.warn("the first administrator was generated; keep the credentials safe and delete the file", {
      username: admin.username,
      access_key_id: admin.access_key_id,
      file: admin.file,
    });
  }
}

function summaryOf({ outcome, mode, from, to, changes, admin }: BootstrapReport) {
  const names = (what: SetChange["what"]): readonly string[] =>
    changes.filter((change) => change.what === what).map(({ kind, name }) => `${kind} ${name}`);
  return {
    outcome,
    mode,
    ...(from === undefined ? {} : { from }),
    to,
    created: names("created"),
    completed: names("completed"),
    updated: names("updated"),
    kept: names("kept"),
    ...(admin === undefined ? {} : { admin: admin.username }),
  };
}
