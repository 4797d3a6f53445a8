/** The one-time token of the set-up: where it is kept, and what it is derived from (spec/security §6.2). */

import { hkdfSync, randomBytes } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";

/** The log of the service. */
export interface SetupLog {
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const TOKEN_BYTES = 32;
const TOKEN_PURPOSE = "svc-authorizer 1 set-up token";
const OWNER_ONLY = 0o600;
/** Stands for the log of a store that one service has alone. */
const OWN_STORE = "own store";

/** A token that nobody can know before. */
export function randomToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/**
 * The token that whoever has the configuration can derive: nodes of one database have the same one, because a balancer
 * takes the set-up to any of them, and `svc-authorizer set-up token` prints it where there is no file.
 * @param secret `auth.encrypt.secret_key`
 * @param logId of a shared log; undefined for the store of one service
 * @returns undefined without a secret key
 */
export function derivedToken(secret: string | undefined, logId: string | undefined): string | undefined {
  if (secret === undefined || secret === "") return undefined;
  const token = hkdfSync("sha256", secret, logId ?? OWN_STORE, TOKEN_PURPOSE, TOKEN_BYTES);
  return Buffer.from(token).toString("base64url");
}

/** Removes the file. Its token is refused from now on, whether the file goes or not. */
export async function removeToken(file: string | undefined): Promise<void> {
  if (file !== undefined) await rm(file, { force: true }).catch(() => {});
}

/** Writes the file. Returns its path, or undefined after a failure. */
export async function keepToken(
  file: string | undefined,
  token: string,
  logger: SetupLog,
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const whole = `${file}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    await writeFile(whole, `${token}\n`, { mode: OWNER_ONLY, flag: "wx" });
    await rename(whole, file);
    return file;
  } catch (cause) {
    await rm(whole, { force: true }).catch(() => {});
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    logger.error("the file with the set-up token cannot be written; svc-authorizer set-up token prints it", {
      file,
      reason,
    });
    return undefined;
  }
}
