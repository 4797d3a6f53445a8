/** Installs the configured content at the first start: `authorizer.bootstrap` and `authorizer.bootstrap_admin`. */

import { join } from "node:path";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { auditingUnknown } from "../api/rest/unknown-outcome.ts";
import { ADMIN_FILE } from "../bootstrap/admin-file.ts";
import { type BootstrapReport, bootstrap } from "../bootstrap/bootstrap.ts";
import { isSetUp, setUpFirstAdministrator } from "../bootstrap/first-administrator.ts";
import type { AdminSettings } from "../bootstrap/plan-admin.ts";
import type { SetChange } from "../bootstrap/plan-set.ts";
import type { BootstrapMode } from "../bootstrap/shipped-set.ts";
import type { ConfigValues } from "../config/table.ts";
import type { AuditEvents } from "../observe/log/audit-port.ts";
import type { DataParts } from "./data.ts";

/** File for generated credentials of the first administrator: beside the data, or in the working folder. */
export function adminFileOf(values: ConfigValues): string {
  return values["database.type"] === "local"
    ? join(values["database.local.path"], ADMIN_FILE)
    : join(process.cwd(), ADMIN_FILE);
}

/**
 * Fills the store and creates the first administrator as configured, and records both in the log and the audit log.
 * Throws what the bootstrap throws.
 */
export async function bootstrapStore(data: DataParts, audit: AuditEvents): Promise<void> {
  const mode = data.values["authorizer.bootstrap"];
  if (mode !== "none") await fillStore(mode, data, audit);
  // Mode external creates the administrator in the batch that fills the store.
  if (mode !== "external") await createAdministrator(data, audit);
}

function administratorOf(values: ConfigValues): AdminSettings {
  return {
    username: values["authorizer.bootstrap_admin.username"],
    access_key_id: values["authorizer.bootstrap_admin.access_key_id"],
    secret_access_key: values["authorizer.bootstrap_admin.secret_access_key"],
  };
}

/** Creates the configured administrator with a key, if the store never had one. */
async function createAdministrator(
  { directory, catalog, values, logger }: DataParts,
  audit: AuditEvents,
): Promise<void> {
  const { username, access_key_id, secret_access_key } = administratorOf(values);
  if (username === undefined || access_key_id === undefined || secret_access_key === undefined) return;
  if (await isSetUp(directory)) return;
  const fields = { username, access_key_id };
  try {
    const parts = { directory, catalog, guards: values["authorizer.guards"] };
    await auditingUnknown(
      () => setUpFirstAdministrator(parts, { username, key: { access_key_id, secret_access_key } }),
      (outcome) => audit.event("setup", { actor: "bootstrap", ...fields, ...outcome }),
    );
    audit.event("setup", { actor: "bootstrap", ...fields });
    logger.info("first administrator created", fields);
  } catch (error) {
    if (!isErrorCode(error, "already_exists")) throw error;
    // Another instance was faster, or the user or key is in use: a running store gets no administrator unasked.
    if (!(await isSetUp(directory))) {
      logger.warn(
        "the configured first administrator was not created: the user or the key exists already",
        fields,
      );
    }
  }
}

async function fillStore(
  mode: BootstrapMode,
  { directory, catalog, values, logger }: DataParts,
  audit: AuditEvents,
): Promise<void> {
  const filling = {
    directory,
    catalog,
    mode,
    defaultUserGroup: values["auth.remote_authenticator.default_user_group"],
    admin: administratorOf(values),
    adminFile: adminFileOf(values),
  };
  // The next start finds it done, and has nothing to audit.
  const report = await auditingUnknown(
    () => bootstrap(filling),
    (outcome) => audit.event("setup", { actor: "bootstrap", mode, ...outcome }),
  );
  const { outcome, admin, elsewhere } = report;
  if (elsewhere !== undefined) {
    logger.warn("another node generated the first administrator at the same time, and has the credentials", {
      host: elsewhere.host,
      file: elsewhere.file,
    });
  }
  if (outcome === "unchanged") return;
  if (outcome === "other_mode") {
    logger.warn("the store was set up in another mode and stays so; svc-authorizer reset empties it", {
      configured: mode,
      mode: report.mode,
    });
    return;
  }
  if (outcome === "older") {
    logger.warn("the store has later preconfigured policies than this version ships, and keeps them", {
      policies: report.from,
      shipped: report.to,
    });
    return;
  }
  const fields = summaryOf(report);
  audit.event("setup", { actor: "bootstrap", ...fields });
  logger.info(outcome === "installed" ? "store bootstrapped" : "preconfigured policies upgraded", fields);
  if (report.changes.some(({ what }) => what === "kept")) {
    logger.warn("policies and groups that were changed or deleted by hand are kept so", {
      kept: fields.kept,
    });
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
