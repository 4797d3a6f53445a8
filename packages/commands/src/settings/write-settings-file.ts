/** Writes svcctl's configuration file so that nobody else can read the secret (spec/management-cli §8). */

import { randomUUID } from "node:crypto";
import { realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { stringify } from "yaml";
import { formatDuration } from "../duration.ts";
import { makeFolder } from "../make-folder.ts";
import { openFault } from "./settings-file.ts";
import {
  SETTING_NAMES,
  SETTINGS,
  type Setting,
  type SettingName,
  type SettingValue,
} from "./settings-table.ts";

/** The values that the file is to hold. */
export interface Answers {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly endpointUrl: string;
}

/** Only the owner may read and write. */
const OWNER_ONLY = 0o600;

/**
 * Writes the answers and every other item that has a value, defaults included, in place of what the file held. The
 * file is replaced atomically and has mode 600 from its first byte, whatever mode it had before.
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
  // A symbolic link is kept: the file that it points to is replaced.
  const target = targetOf(path);
  const draft = `${target}.${randomUUID()}`;
  try {
    makeFolder(dirname(target));
    writeFileSync(draft, fileText(values), { mode: OWNER_ONLY, flag: "wx" });
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new Error(openFault(path, error), { cause: error });
  }
}

function targetOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // The file does not exist yet.
    return path;
  }
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
