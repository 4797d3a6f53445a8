/** The set-up of the running service (spec/security §6.2). */

import { hash, timingSafeEqual } from "node:crypto";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { Setup } from "../../api/management/ports.ts";
import { isSetUp, noteAdministrator, setUpFirstAdministrator } from "../../bootstrap/first-administrator.ts";
import type { DataParts } from "../data.ts";
import { derivedToken, keepToken, randomToken, removeToken, setupTokenFile } from "./setup-token.ts";

/** The information for the operator while there is no administrator. */
export interface SetupOffer {
  readonly token: string;
  /** The file with the token; undefined if there is no folder for it, or if no file could be written. */
  readonly file: string | undefined;
}

/** Set-up with the offer of this start; undefined if it is done. */
export interface ServiceSetup extends Setup {
  readonly offer: SetupOffer | undefined;
}

/**
 * Opens the set-up: with a token in a file (mode 600) where it is not done, without one where it is. Where no file can be
 * written (a full disk), the service starts all the same, since it can decide: `svc-authorizer set-up token` then prints
 * the token.
 */
export async function openSetup(data: DataParts): Promise<ServiceSetup> {
  const wantedFile = setupTokenFile(data.values);
  if (await isDone(data)) {
    await removeToken(wantedFile);
    return setupWith(data, undefined);
  }
  const derived = derivedToken(data.values, data.journal?.logId);
  // The nodes of a shared database have one token; in a file of its own, each start has another.
  const token =
    data.journal === undefined && wantedFile !== undefined ? randomToken() : (derived ?? randomToken());
  const file = await keepToken(wantedFile, token, data.logger);
  return setupWith(data, { token: file === undefined ? (derived ?? token) : token, file });
}

/** Opens the set-up with the token of another process of this service; undefined where it is done. */
export async function openSharedSetup(data: DataParts, token: string | undefined): Promise<ServiceSetup> {
  return setupWith(data, token === undefined ? undefined : { token, file: undefined });
}

/** True where the set-up is done, or where nobody can tell: then it is not offered. */
async function isDone({ directory, logger, isContested }: DataParts): Promise<boolean> {
  try {
    if (await isContested()) {
      logger.error(
        "nodes have copies of another log, which is missing in the database: no set-up is offered",
      );
      return true;
    }
    await noteAdministrator(directory);
    return await isSetUp(directory);
  } catch (error) {
    if (!isErrorCode(error, "unavailable") && !isErrorCode(error, "stale")) throw error;
    logger.warn("whether there is an administrator is not known; no set-up is offered by this start", {
      reason: (error as Error).message,
    });
    return true;
  }
}

function setupWith(
  { directory, catalog, values, isContested }: DataParts,
  offer: SetupOffer | undefined,
): ServiceSetup {
  const wantedFile = setupTokenFile(values);
  let done = offer === undefined;
  const wanted = hash("sha256", offer?.token ?? "", "buffer");
  const finish = async (): Promise<void> => {
    done = true;
    await removeToken(wantedFile);
  };
  return {
    offer,
    isDone: async () => {
      // Another node may have done it, or a change have given an administrator a way to sign in.
      if (!done && (await isSetUp(directory))) await finish();
      return done || (await isContested());
    },
    accepts: (given) =>
      timingSafeEqual(hash("sha256", given, "buffer"), wanted) && offer !== undefined && !done,
    run: async (administrator) => {
      const parts = { directory, catalog, guards: values["authorizer.guards"] };
      if (await isContested()) throw contested();
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

/** A database may have been emptied: who sets it up would be administrator in the place of those who are in the copies. */
function contested(): AuthorizerError {
  return new AuthorizerError(
    "unavailable",
    "Nodes have copies of another directory, which is missing in the database: nothing is set up.",
  );
}
