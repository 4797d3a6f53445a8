/** The login token that `svcctl login` got: beside the configuration file, readable by its owner alone. */

import { readFileSync, rmSync, statSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { writeOwnerOnly } from "@svc-authorizer/commands/settings/write-owner-only.ts";

/** A login token, for one server. */
interface KeptLogin {
  /** The base of the API that issued it: it is sent to no other. */
  readonly base: string;
  readonly token: string;
  /** Unix seconds. */
  readonly expiresAt: number;
}

const LARGEST_BYTES = 16_384;
/** Bits of a mode that let others read. */
const OTHERS = 0o077;

/** The file that belongs to a configuration file: `.svcctl.login.json` to `.svcctl.yaml`. */
export function loginFile(settingsFile: string): string {
  const name = basename(settingsFile);
  return join(dirname(settingsFile), `${basename(name, extname(name))}.login.json`);
}

/**
 * The login that is kept for a server; undefined where there is none.
 * @throws Error where others may read the file
 */
export function keptLogin(settingsFile: string, base: string): KeptLogin | undefined {
  const path = loginFile(settingsFile);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.size > LARGEST_BYTES) return undefined;
  if (process.platform !== "win32" && (stats.mode & OTHERS) !== 0)
    throw new Error(`${path} is left out: others may read it; chmod 600 it, or sign in again`);
  const kept = contentOf(path);
  return kept?.base === base ? kept : undefined;
}

function contentOf(path: string): KeptLogin | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as Partial<Record<keyof KeptLogin, unknown>> | null;
    const { base, token, expiresAt } = value ?? {};
    const isWhole = typeof base === "string" && typeof token === "string" && typeof expiresAt === "number";
    // What no token can be would be a header that nothing sends.
    return isWhole && /^[\w.-]+$/.test(token) ? { base, token, expiresAt } : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a login in place of another one. */
export function keepLogin(settingsFile: string, login: KeptLogin): void {
  writeOwnerOnly(loginFile(settingsFile), `${JSON.stringify(login)}\n`);
}

/** Forgets it; nothing where there is none. */
export function forgetLogin(settingsFile: string): void {
  rmSync(loginFile(settingsFile), { force: true });
}
