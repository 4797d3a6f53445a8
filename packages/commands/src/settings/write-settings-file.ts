/** Writes svcctl's configuration file so that nobody else can read the secret (spec/management-cli §8). */

import { stringify } from "yaml";
import { formatDuration } from "../duration.ts";
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
} from "./settings-table.ts";
import { writeOwnerOnly } from "./write-owner-only.ts";

/** The values that the file is to hold. */
export interface Answers {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly endpointUrl: string;
}

/**
 * Writes the answers and every other item that has a value, defaults included, in place of what the file held.
 */
export function writeSettingsFile(
  path: string,
  before: ReadonlyMap<SettingName, SettingValue>,
  answers: Answers,
): void {
  const values = new Map<SettingName, SettingValue>([
    ...before,
    ["credentials.access_key_id", answers.accessKeyId],
    ["credentials.secret_access_key", answers.secretAccessKey],
    ["server.endpoint_url", answers.endpointUrl],
  ]);
  writeOwnerOnly(path, fileText(values));
}

interface Section {
  [key: string]: Section | SettingValue;
}

function fileText(values: ReadonlyMap<SettingName, SettingValue>): string {
  const root: Section = {};
  for (const name of SETTING_NAMES) {
    const setting: Setting = SETTINGS[name];
    const value = values.get(name) ?? setting.default;
    if (value === undefined || value === "") continue;
    const shown = setting.type === "duration" && typeof value === "number" ? formatDuration(value) : value;
    const keys = name.split(".");
    const last = keys.pop() ?? "";
    let section = root;
    for (const key of keys) {
      section[key] ??= {};
      section = section[key] as Section;
    }
    section[last] = shown;
  }
  return stringify(root);
}
