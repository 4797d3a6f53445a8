/** Every item of svcctl's configuration file (spec/management-cli §2). */

import { booleanText } from "../boolean-switches.ts";
import { parseDuration } from "../duration.ts";

/** The type of a setting, by which its value is parsed and printed. */
type SettingType = "text" | "boolean" | "integer" | "duration" | "table";

/** One item. */
export interface Setting {
  readonly type: SettingType;
  /** In the notation of the file. */
  readonly default?: string | boolean | number;
  /** A number in the file is a mistake: `access_key_id: 123` would lose leading zeros and more. */
  readonly strict?: true;
}

/** The items by name. They include items of commands that only `lakectl` has, so that one file serves both tools. */
export const SETTINGS = {
  "credentials.access_key_id": { type: "text", strict: true },
  "credentials.secret_access_key": { type: "text", strict: true },
  "credentials.provider.type": { type: "text", strict: true },
  "credentials.provider.aws_iam.token_ttl_seconds": { type: "text" },
  "credentials.provider.aws_iam.url_presign_ttl_seconds": { type: "text" },
  "credentials.provider.aws_iam.refresh_interval": { type: "text" },
  "credentials.provider.aws_iam.token_request_headers": { type: "table" },
  "credentials.provider.aws_iam.client_log_pre_signing_request": { type: "boolean" },
  "network.http2.enabled": { type: "boolean", default: true },
  "server.endpoint_url": { type: "text", strict: true, default: "http://127.0.0.1:8000" },
  "server.retries.enabled": { type: "boolean", default: true },
  "server.retries.max_attempts": { type: "integer", default: 4 },
  "server.retries.min_wait_interval": { type: "duration", default: "200ms" },
  "server.retries.max_wait_interval": { type: "duration", default: "30s" },
  "server.login_retries.enabled": { type: "boolean", default: true },
  "server.login_retries.max_attempts": { type: "integer", default: 75 },
  "server.login_retries.min_wait_interval": { type: "duration", default: "50ms" },
  "server.login_retries.max_wait_interval": { type: "duration", default: "1s" },
  "metastore.type": { type: "text" },
  "metastore.hive.uri": { type: "text", strict: true },
  "metastore.hive.db_location_uri": { type: "text", strict: true },
  "metastore.glue.profile": { type: "text", strict: true },
  "metastore.glue.credentials_file": { type: "text", strict: true },
  "metastore.glue.db_location_uri": { type: "text", strict: true },
  "metastore.glue.credentials.access_key_id": { type: "text", strict: true },
  "metastore.glue.credentials.access_secret_key": { type: "text", strict: true },
  "metastore.glue.credentials.session_token": { type: "text", strict: true },
  "metastore.glue.region": { type: "text", strict: true },
  "metastore.glue.catalog_id": { type: "text", strict: true },
  "metastore.glue.endpoint_url": { type: "text", strict: true },
  "metastore.fix_spark_placeholder": { type: "boolean" },
  "options.parallelism": { type: "integer", default: 25 },
  "local.skip_non_regular_files": { type: "boolean", default: false },
  "local.symlink_support": { type: "boolean", default: false },
  "experimental.local.posix_permissions.enabled": { type: "boolean", default: false },
  "experimental.local.posix_permissions.include_uid": { type: "boolean", default: false },
  "experimental.local.posix_permissions.include_gid": { type: "boolean", default: false },
} as const satisfies Readonly<Record<string, Setting>>;

/** Name of an item. */
export type SettingName = keyof typeof SETTINGS;

/** All names, in the order of the table. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** `SVCCTL_SERVER_ENDPOINT_URL`. */
export function variableOf(name: SettingName): string {
  return `SVCCTL_${name.toUpperCase().replaceAll(".", "_")}`;
}

/** A parsed value: durations in milliseconds, tables as they are written. */
export type SettingValue = string | boolean | number | Readonly<Record<string, string>>;

/** Parses a text as a value of a type; undefined if it is invalid. */
export function settingFromText(type: SettingType, text: string): string | boolean | number | undefined {
  return READERS[type](text);
}

const READERS: Readonly<Record<SettingType, (text: string) => string | boolean | number | undefined>> = {
  text: (text) => text,
  boolean: booleanText,
  integer: (text) => (/^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined),
  duration: parseDuration,
  table: () => undefined,
};
