/** The effective configuration of svcctl: variable before file before default (spec/management-cli §2). */

import { parseDuration } from "@svc-authorizer/commands/duration.ts";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import type { RetrySettings } from "@svc-authorizer/commands/rest-client/retries.ts";
import {
  readSettingsFile,
  type SettingsFile,
  settingsPlace,
} from "@svc-authorizer/commands/settings/settings-file.ts";
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
  settingFromText,
  variableOf,
} from "@svc-authorizer/commands/settings/settings-table.ts";
import type { CommandContext } from "../command-context.ts";

/** The settings of commands that call the server. */
export interface Settings {
  /** Absolute path of the file, which need not exist. */
  readonly file: string;
  /** The reason why that file is not used: it does not exist or is not YAML. */
  readonly fault?: string;
  /** With `fault`: the file does not exist. */
  readonly missing?: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** `credentials.provider.type`: another source of credentials than the access key; "" where nothing says so. */
  readonly provider: string;
  /** As it was given, without the base path. */
  readonly endpointUrl: string;
  readonly retries: RetrySettings;
  /** Operations at once where a command has no `--parallelism`; undefined where nobody set it. */
  readonly parallelism: number | undefined;
  readonly local: LocalSettings;
  readonly metastore: MetastoreSettings;
}

/** Addresses and credentials of metastores. */
export interface MetastoreSettings {
  /** `hive`, `glue`, or "" where nothing says so. */
  readonly type: string;
  /** `host:port`. */
  readonly hiveUri: string;
  readonly glue: {
    readonly region: string | undefined;
    readonly profile: string | undefined;
    readonly credentialsFile: string | undefined;
    readonly credentials:
      | { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string }
      | undefined;
    readonly catalogId: string | undefined;
    readonly endpoint: string | undefined;
  };
  readonly fixSparkPlaceholder: boolean;
}

/** Settings of the comparison of folders with the data server. */
export interface LocalSettings {
  /** Leaves out what is no regular file, which is an error otherwise. */
  readonly skipNonRegular: boolean;
  /** Keeps symbolic links as links. */
  readonly symlinks: boolean;
  /** Keeps modes of files and folders, and with the other two their owners. */
  readonly permissions: boolean;
  readonly owners: { readonly user: boolean; readonly group: boolean };
}

/**
 * Reads file and variables.
 * @throws Error when the file of `--config` cannot be read, or a value is faulty
 */
export function loadSettings(context: CommandContext): Settings {
  const { path, required } = settingsPlace(context);
  // As it was typed: that is how people find it.
  const file = readSettingsFile(path, context.options.config);
  if (required && file.fault !== undefined)
    throw new Error(`error reading configuration file: ${file.fault}`);
  return effectiveSettings(path, file, context.env);
}

/** Merges a file that was read, the variables and the defaults. Throws when a variable is invalid. */
export function effectiveSettings(path: string, file: SettingsFile, env: Environment): Settings {
  const given = new Map([...file.values, ...valuesOfVariables(env)]);
  const values = new Map([...defaults(), ...given]);
  const parallelism = given.get("options.parallelism");
  const on = (name: SettingName): boolean => values.get(name) === true;
  return {
    file: path,
    ...(file.fault !== undefined && { fault: file.fault, missing: file.missing === true }),
    accessKeyId: text(values, "credentials.access_key_id"),
    secretAccessKey: text(values, "credentials.secret_access_key"),
    provider: text(values, "credentials.provider.type"),
    endpointUrl: text(values, "server.endpoint_url"),
    retries: {
      enabled: on("server.retries.enabled"),
      maxAttempts: Math.max(0, Number(values.get("server.retries.max_attempts"))),
      minWaitMs: Math.max(0, Number(values.get("server.retries.min_wait_interval"))),
      maxWaitMs: Math.max(0, Number(values.get("server.retries.max_wait_interval"))),
    },
    parallelism: typeof parallelism === "number" ? parallelism : undefined,
    local: {
      skipNonRegular: on("local.skip_non_regular_files"),
      symlinks: on("local.symlink_support"),
      permissions: on("experimental.local.posix_permissions.enabled"),
      owners: {
        user: on("experimental.local.posix_permissions.include_uid"),
        group: on("experimental.local.posix_permissions.include_gid"),
      },
    },
    metastore: metastoreOf(values),
  };
}

function metastoreOf(values: ReadonlyMap<SettingName, SettingValue>): MetastoreSettings {
  const some = (name: SettingName): string | undefined => text(values, name) || undefined;
  const accessKeyId = some("metastore.glue.credentials.access_key_id");
  const secretAccessKey = some("metastore.glue.credentials.access_secret_key");
  const sessionToken = some("metastore.glue.credentials.session_token");
  const credentials =
    accessKeyId === undefined || secretAccessKey === undefined
      ? undefined
      : { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  return {
    type: text(values, "metastore.type"),
    hiveUri: text(values, "metastore.hive.uri"),
    glue: {
      region: some("metastore.glue.region"),
      profile: some("metastore.glue.profile"),
      credentialsFile: some("metastore.glue.credentials_file"),
      credentials,
      catalogId: some("metastore.glue.catalog_id"),
      endpoint: some("metastore.glue.endpoint_url"),
    },
    fixSparkPlaceholder: values.get("metastore.fix_spark_placeholder") === true,
  };
}

function text(values: ReadonlyMap<SettingName, SettingValue>, name: SettingName): string {
  const value = values.get(name);
  return typeof value === "string" ? value : "";
}

function defaults(): readonly (readonly [SettingName, SettingValue])[] {
  return SETTING_NAMES.flatMap((name) => {
    const setting: Setting = SETTINGS[name];
    if (setting.default === undefined) return [];
    const value = setting.type === "duration" ? parseDuration(String(setting.default)) : setting.default;
    return value === undefined ? [] : [[name, value] as const];
  });
}

/** Returns the items that variables set. An empty variable counts as absent. */
function valuesOfVariables(env: Environment): ReadonlyMap<SettingName, SettingValue> {
  const values = new Map<SettingName, SettingValue>();
  for (const name of SETTING_NAMES) {
    const given = env[variableOf(name)] ?? "";
    const { type }: Setting = SETTINGS[name];
    if (given === "" || type === "table") continue;
    const value = settingFromText(type, given);
    if (value === undefined) {
      throw new Error(`error unmarshal configuration: ${variableOf(name)}: expected a ${type}`);
    }
    values.set(name, value);
  }
  return values;
}
