/** The one-time token of the set-up, and the set-up of the running service (security.md §6.2). */

import { hash, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Setup } from "../../api/management/ports.ts";
import { isSetUp, setUpFirstAdministrator } from "../../bootstrap/first-administrator.ts";
import type { ConfigValues } from "../../config/table.ts";
import { isErrorCode } from "../../errors.ts";
import type { Logger } from "../../observe/log/logger.ts";
import type { DataParts } from "../data.ts";

/** Name of the file with the token, beside the data. */
const TOKEN_FILE = "svc-authorizer-setup-token";
const TOKEN_BYTES = 32;
const TOKEN_PURPOSE = "svc-authorizer 1 set-up token";
const OWNER_ONLY = 0o600;

/** The information for the operator while there is no administrator. */
export interface SetupOffer {
  readonly token: string;
  /** The file with the token; undefined if the store is in memory, or if no file could be written. */
  readonly file: string | undefined;
}

/** Set-up with the offer of this start; undefined if it is done. */
export interface ServiceSetup extends Setup {
  readonly offer: SetupOffer | undefined;
}

/** The file with the token; undefined for a store in memory. */
export function setupTokenFile(values: ConfigValues): string | undefined {
  switch (values["database.type"]) {
    case "mem":
      return undefined;
    case "local":
      return join(values["database.local.path"], TOKEN_FILE);
    default:
      return join(process.cwd(), TOKEN_FILE);
  }
}

/**
 * Opens the set-up: with a token in a file (mode 600) where it is not done, without one where it is. Where the
 * file cannot be written (a full disk), the service starts all the same, since it can decide: the token is then only
 * printed at the start.
 */
export async function openSetup(data: DataParts): Promise<ServiceSetup> {
  const wantedFile = setupTokenFile(data.values);
  const token = (await isSetUp(data.directory)) ? undefined : tokenOf(data);
  let file: string | undefined;
  if (token === undefined) await removeToken(wantedFile);
  else file = await keepToken(wantedFile, token, data.logger);
  return setupWith(data, token, file);
}

/**
 * Returns the token of this start. Nodes of one database have the same one, because a balancer takes the set-up to any of
 * them: it is derived from the secret key that they share, for this log.
 */
function tokenOf({ journal, values }: DataParts): string {
  if (journal === undefined) return randomBytes(TOKEN_BYTES).toString("base64url");
  const secret = values["auth.encrypt.secret_key"] as string;
  return Buffer.from(hkdfSync("sha256", secret, journal.logId, TOKEN_PURPOSE, TOKEN_BYTES)).toString(
    "base64url",
  );
}

/** Opens the set-up with the token of another process of this service; undefined where it is done. */
export async function openSharedSetup(data: DataParts, token: string | undefined): Promise<ServiceSetup> {
  return setupWith(data, token, undefined);
}

function setupWith(
  { directory, catalog, values }: DataParts,
  token: string | undefined,
  file: string | undefined,
): ServiceSetup {
  const wantedFile = setupTokenFile(values);
  let done = token === undefined;
  const wanted = hash("sha256", token ?? "", "buffer");
  const finish = async (): Promise<void> => {
    done = true;
    await removeToken(wantedFile);
  };
  return {
    offer: token === undefined ? undefined : { token, file },
    isDone: async () => {
      // Another node may have done it.
      if (!done && (await isSetUp(directory))) await finish();
      return done;
    },
    accepts: (given) =>
      timingSafeEqual(hash("sha256", given, "buffer"), wanted) && token !== undefined && !done,
    run: async (administrator) => {
      const parts = { directory, catalog, guards: values["authorizer.guards"] };
      try {
        const created = await setUpFirstAdministrator(parts, administrator);
        await finish();
        return created;
      } catch (error) {
        // Another process may have been faster: then the token here is worth nothing any more.
        if (isErrorCode(error, "already_exists") && (await isSetUp(directory))) await finish();
        throw error;
      }
    },
  };
}

async function removeToken(file: string | undefined): Promise<void> {
  // Its token is refused from now on, whether the file goes or not.
  if (file !== undefined) await rm(file, { force: true }).catch(() => {});
}

/** Writes the file. Returns its path, or undefined after a failure. */
async function keepToken(
  file: string | undefined,
  token: string,
  logger: Logger,
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
    logger.error("the file with the set-up token cannot be written; the token is only printed at the start", {
      file,
      reason,
    });
    return undefined;
  }
}
