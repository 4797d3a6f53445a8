/** The set-up of the running service (spec/security §6.2). */

import { hash, timingSafeEqual } from "node:crypto";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import {
  type AdministratorParts,
  type CreatedAdministrator,
  isSetUp,
  type NewAdministrator,
  noteAdministrator,
  setUpFirstAdministrator,
} from "./first-administrator.ts";
import { derivedToken, keepToken, randomToken, removeToken, type SetupLog } from "./setup-token.ts";

/** The information for the operator while there is no administrator. */
export interface SetupOffer {
  readonly token: string;
  /** The file with the token; undefined if there is no folder for it, or if no file could be written. */
  readonly file: string | undefined;
}

/** Set-up with the offer of this start. */
export interface ServiceSetup {
  /** Undefined if the set-up is done. */
  readonly offer: SetupOffer | undefined;
  /** Returns whether there is a first administrator, by the durable mark. */
  isDone(): Promise<boolean>;
  /** True for the one-time token; compares in constant time. False once the set-up is done. */
  accepts(token: string): boolean;
  /** Sets up; throws "already_exists" where it is done. */
  run(administrator: NewAdministrator): Promise<CreatedAdministrator>;
}

/** The parts of the set-up. */
interface SetupParts extends AdministratorParts {
  readonly logger: SetupLog;
  /** True if nodes have copies of another directory, which is missing in the database. */
  readonly isContested: () => Promise<boolean>;
  /** The file for the token; undefined if there is no folder for it. */
  readonly file: string | undefined;
  /** `auth.encrypt.secret_key`. */
  readonly secretKey: string | undefined;
  /** Id of the log that nodes share; undefined for the store of one service. */
  readonly logId: string | undefined;
}

/**
 * Opens the set-up: with a token in a file (mode 600) where it is not done, without one where it is. Where no file can be
 * written (a full disk), the service starts all the same, since it can decide: `svc-authorizer set-up token` then prints
 * the token.
 */
export async function openSetup(parts: SetupParts): Promise<ServiceSetup> {
  const { file: wantedFile, secretKey, logId, logger } = parts;
  if (await isDone(parts)) {
    await removeToken(wantedFile);
    return setupWith(parts, undefined);
  }
  const derived = derivedToken(secretKey, logId);
  // The nodes of a shared database have one token; in a file of its own, each start has another.
  const token = logId === undefined && wantedFile !== undefined ? randomToken() : (derived ?? randomToken());
  const file = await keepToken(wantedFile, token, logger);
  return setupWith(parts, { token: file === undefined ? (derived ?? token) : token, file });
}

/** Opens the set-up with the token of another process of this service; undefined where it is done. */
export function openSharedSetup(parts: SetupParts, token: string | undefined): ServiceSetup {
  return setupWith(parts, token === undefined ? undefined : { token, file: undefined });
}

/** True where the set-up is done, or where nobody can tell: then it is not offered. */
async function isDone({ directory, logger, isContested }: SetupParts): Promise<boolean> {
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
  { directory, catalog, guards, isContested, file }: SetupParts,
  offer: SetupOffer | undefined,
): ServiceSetup {
  let done = offer === undefined;
  const wanted = hash("sha256", offer?.token ?? "", "buffer");
  const finish = async (): Promise<void> => {
    done = true;
    await removeToken(file);
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
      if (await isContested()) throw contested();
      try {
        const created = await setUpFirstAdministrator({ directory, catalog, guards }, administrator);
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
