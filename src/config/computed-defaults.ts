/** Defaults that are values of other items, computed once all sources are merged. */
import type { ConfigName } from "./table.ts";

/** A default value that is computed from another item. */
interface ComputedDefault {
  readonly value: unknown;
  readonly from: ConfigName;
}

/** Reads the value of an item merged so far. */
type ReadItem = (name: ConfigName) => unknown;

/** The items with a computed default, in the order in which they can be computed. */
export const COMPUTED_DEFAULTS: ReadonlyMap<ConfigName, (read: ReadItem) => ComputedDefault | undefined> =
  new Map([
    [
      "authorizer.user_listen_address",
      (read: ReadItem) => ({ value: read("listen_address"), from: "listen_address" }),
    ],
    ["authorizer.bootstrap", bootstrapOf],
    [
      "authorizer.bootstrap_admin.username",
      (read: ReadItem) => ofInstallation(read, "installation.user_name"),
    ],
    [
      "authorizer.bootstrap_admin.access_key_id",
      (read: ReadItem) => ofInstallation(read, "installation.access_key_id"),
    ],
    [
      "authorizer.bootstrap_admin.secret_access_key",
      (read: ReadItem) => ofInstallation(read, "installation.secret_access_key"),
    ],
    ["database.dynamodb.cloud_region", (read: ReadItem) => otherName(read, "database.dynamodb.aws_region")],
    ["database.dynamodb.cloud_profile", (read: ReadItem) => otherName(read, "database.dynamodb.aws_profile")],
    [
      "database.dynamodb.cloud_access_key_id",
      (read: ReadItem) => otherName(read, "database.dynamodb.aws_access_key_id"),
    ],
    [
      "database.dynamodb.cloud_secret_access_key",
      (read: ReadItem) => otherName(read, "database.dynamodb.aws_secret_access_key"),
    ],
  ] as const);

/** The value that an item has under another name. */
function otherName(read: ReadItem, from: ConfigName): ComputedDefault | undefined {
  const value = read(from);
  return value === undefined ? undefined : { value, from };
}

function bootstrapOf(read: ReadItem): ComputedDefault {
  const rbac = read("auth.ui_config.rbac");
  return { value: rbac === "external" || rbac === "simplified" ? rbac : "none", from: "auth.ui_config.rbac" };
}

/** The data server reads `installation.*` only with `database.type: local`, and so does this service. */
function ofInstallation(read: ReadItem, from: ConfigName): ComputedDefault | undefined {
  const value = read("database.type") === "local" ? read(from) : undefined;
  return value === undefined ? undefined : { value, from };
}
