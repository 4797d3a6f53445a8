/** Modes and owners of files, which the data server keeps in the metadata of objects. */

import type { Stats } from "node:fs";
import { chmod, lchown } from "node:fs/promises";
import type { LocalSettings } from "../../settings/load-settings.ts";

/** Metadata with mode and owner. */
export const POSIX_PERMISSIONS = "::lakefs::posix-permissions";

const FILE = 0o100666;
const FOLDER = 0o040777;

/** Mode with the type of the file, and owner. */
interface Permissions {
  readonly UID: number;
  readonly GID: number;
  readonly Mode: number;
}

/** The metadata of a file. */
export function permissionsText({ uid, gid, mode }: Stats): string {
  const permissions: Permissions = { UID: uid, GID: gid, Mode: mode };
  return JSON.stringify(permissions);
}

/** True where the settings keep permissions and those of the file are not those of the object. */
export function permissionsDiffer(stats: Stats, text: string | undefined, settings: LocalSettings): boolean {
  if (!settings.permissions) return false;
  const remote = permissionsOf(text);
  if (remote === undefined) return true;
  const { user, group } = settings.owners;
  return (
    (user && stats.uid !== (remote.UID ?? 0)) ||
    (group && stats.gid !== (remote.GID ?? 0)) ||
    stats.mode !== (remote.Mode ?? 0)
  );
}

/** Gives a file the permissions of an object, or those that new files have. */
export async function applyPermissions(
  file: string,
  text: string | undefined,
  settings: LocalSettings,
  isFolder: boolean,
): Promise<void> {
  const { UID, GID, Mode } = permissionsOf(text) ?? {};
  const { user, group } = settings.owners;
  if (user || group) await lchown(file, user ? (UID ?? -1) : -1, group ? (GID ?? -1) : -1);
  await chmod(file, (Mode ?? (isFolder ? FOLDER : FILE) & ~process.umask()) & 0o7777);
}

/** Undefined where the text is none; an empty object where there is no text. */
function permissionsOf(text: string | undefined): Partial<Permissions> | undefined {
  if (text === undefined) return {};
  try {
    return JSON.parse(text) as Partial<Permissions>;
  } catch {
    return undefined;
  }
}
