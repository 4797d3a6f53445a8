/** The files beside a node's copy that say which one counts, how it was left, and when the database was last heard of. */

import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { NotedContact } from "../replica.ts";

const STATE_FILE = "copy.json";
const CONTACT_FILE = "contact.json";
const BOOT_ID_FILE = "/proc/sys/kernel/random/boot_id";
const MACHINE_ID_FILE = "/etc/machine-id";

/** The copy that counts, and how it was left. */
interface StateFile {
  /** Its folder, below that of the file. */
  readonly copy: string;
  /** Id of the machine's run in which it was opened; "" where it is not known. */
  readonly boot: string;
  /** Whether it was closed, and its pages flushed. */
  readonly clean: boolean;
}

/** True for a folder in which a copy was. */
export function hasStateFile(path: string): boolean {
  return existsSync(join(path, STATE_FILE));
}

/** Reads which copy counts. Throws where there is no file, or a damaged one. */
export function readStateFile(path: string): StateFile {
  return JSON.parse(readFileSync(join(path, STATE_FILE), "utf8")) as StateFile;
}

/** Says which copy counts. */
export function writeStateFile(path: string, state: StateFile): void {
  replaceFile(join(path, STATE_FILE), state, true);
}

/** The contact that was noted last; undefined where none was, or the note is damaged. */
export function readContactFile(path: string): NotedContact | undefined {
  try {
    const { boot, machine, wall, monotonic } = JSON.parse(
      readFileSync(join(path, CONTACT_FILE), "utf8"),
    ) as NotedContact;
    if (![wall, monotonic].every(Number.isFinite)) return undefined;
    return { boot: String(boot), machine: String(machine), wall, monotonic };
  } catch {
    return undefined;
  }
}

/** Notes a contact. Not flushed: after another boot it counts only with a clean end. */
export function writeContactFile(path: string, contact: NotedContact): void {
  replaceFile(join(path, CONTACT_FILE), contact, false);
}

function replaceFile(file: string, content: unknown, flush: boolean): void {
  writeFileSync(`${file}.new`, JSON.stringify(content), { mode: 0o600, flush });
  renameSync(`${file}.new`, file);
}

/** Id of the machine's run; undefined where it is not known. */
export function readBootId(): string | undefined {
  return readWord(BOOT_ID_FILE);
}

/** Id of the machine, or its name where it has none. */
export function readMachineId(): string {
  return readWord(MACHINE_ID_FILE) ?? hostname();
}

function readWord(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

let copies = 0;

/** The folder of a new copy, which nothing has yet. */
export function newCopyFolder(path: string): string {
  return join(path, `copy-${process.pid}-${Date.now().toString(36)}-${copies++}`);
}
