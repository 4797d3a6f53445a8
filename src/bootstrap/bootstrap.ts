/**
 * First filling of a store, and later upgrades (spec/authorization-api §9, spec/decision-api §1.3). Everything, including
 * the mark, is one atomic batch. If two instances start together, the second finds the work done.
 */

import { hostname } from "node:os";
import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { MarkedPlan, MarkedState } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import { AdminFile } from "./admin-file.ts";
import {
  BOOTSTRAP_MARK,
  type BootstrapMark,
  type CredentialsPlace,
  readMark,
  storedMark,
} from "./bootstrap-mark.ts";
import { type AdminPlan, type AdminSettings, planAdmin } from "./plan-admin.ts";
import { planSet, type SetChange } from "./plan-set.ts";
import { isEarlierVersion } from "./set-version.ts";
import { type BootstrapMode, type ShippedSet, shippedSetOf } from "./shipped-set.ts";

/** Options of {@link bootstrap}. */
export interface BootstrapOptions {
  readonly directory: Directory;
  readonly catalog: Catalog;
  /** `authorizer.bootstrap` other than `none`. */
  readonly mode: BootstrapMode;
  /** `auth.remote_authenticator.default_user_group`. */
  readonly defaultUserGroup: string;
  readonly admin: AdminSettings;
  /** File for generated credentials of the first administrator. */
  readonly adminFile: string;
}

/** The result of a bootstrap. */
export interface BootstrapReport {
  /**
   * `installed`: the store was filled now. `upgraded`: it had another set before. `unchanged`: it has this set.
   * `other_mode`: it was filled in another mode and is left alone. `older`: it has a later set than this program ships and
   * is left alone (spec/journal §1).
   */
  readonly outcome: "installed" | "upgraded" | "unchanged" | "other_mode" | "older";
  readonly mode: BootstrapMode;
  /** Version of the policy data before, if there was one. */
  readonly from?: string;
  /** Version of the policy data now. */
  readonly to: string;
  readonly changes: readonly SetChange[];
  /** Only with `installed`; never the secret. */
  readonly admin?: Pick<AdminPlan, "username" | "access_key_id" | "file">;
  /** Only if another instance was faster, and its file has the credentials of the first administrator. */
  readonly elsewhere?: CredentialsPlace;
}

/**
 * Fills a new store, upgrades an earlier filling to the catalog, or does nothing. Several instances can call it at
 * once, and again after a crash.
 * @throws AuthorizerError "invalid_request" with the name of the configuration item, "unavailable" if store or file
 * fail
 */
export async function bootstrap(options: BootstrapOptions): Promise<BootstrapReport> {
  const { directory, catalog, mode, defaultUserGroup } = options;
  const set = shippedSetOf(mode, catalog, defaultUserGroup);
  const file = new AdminFile(options.adminFile);
  let found: BootstrapMark | undefined;
  let isKnown = true;
  try {
    const report = await directory.batches.applyMarked(BOOTSTRAP_MARK, (state) => {
      found = readMark(state.mark);
      return plan(set, options.admin, file, state);
    });
    if (report !== undefined) return report;
    const elsewhere = file.taken && found?.credentials;
    const unchanged = { outcome: "unchanged", mode, to: set.version, changes: [] } as const;
    return { ...unchanged, ...(elsewhere && { elsewhere }) };
  } catch (error) {
    // It may be committed yet.
    isKnown = !isErrorCode(error, "outcome_unknown");
    throw error;
  } finally {
    if (isKnown) await discardUnused(directory, file);
  }
}

async function plan(
  set: ShippedSet,
  settings: AdminSettings,
  file: AdminFile,
  state: MarkedState,
): Promise<MarkedPlan<BootstrapReport> | undefined> {
  const mark = readMark(state.mark);
  const { mode, version: to } = set;
  if (mark?.digest === set.digest) return undefined;
  if (mark !== undefined && mark.mode !== mode) {
    const result: BootstrapReport = { outcome: "other_mode", mode: mark.mode, to: mark.version, changes: [] };
    return { operations: [], mark: state.mark, result };
  }
  if (mark !== undefined && isEarlierVersion(to, mark.version)) {
    const result: BootstrapReport = { outcome: "older", mode, from: mark.version, to, changes: [] };
    return { operations: [], mark: state.mark, result };
  }
  const { operations, changes, policies, groups } = await planSet(set, mark, state);
  const isFirst = mark === undefined;
  const admin = isFirst && mode === "external" ? await planAdmin(settings, file, state) : undefined;
  return {
    operations: [...operations, ...(admin?.operations ?? [])],
    mark: storedMark(set, policies, groups, mark?.credentials ?? placeOf(admin?.file)),
    result: {
      outcome: isFirst ? "installed" : "upgraded",
      mode,
      ...(mark && { from: mark.version }),
      to,
      changes,
      ...(admin && {
        admin: { username: admin.username, access_key_id: admin.access_key_id, file: admin.file },
      }),
    },
  };
}

function placeOf(file: string | undefined): CredentialsPlace | undefined {
  return file === undefined ? undefined : { host: hostname(), file };
}

/** Removes generated credentials that were not stored because another instance was faster. */
async function discardUnused(directory: Directory, file: AdminFile): Promise<void> {
  if (file.taken === undefined) return;
  try {
    await directory.credentials.getWithSecret(file.taken.access_key_id);
  } catch (error) {
    // After any other failure it is unknown whether they were stored.
    if (isErrorCode(error, "not_found")) await file.discard();
  }
}
