/**
 * Set-up of the first administrator (spec/security §6.2). User, membership, key and the durable mark are one atomic
 * batch.
 */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { AuthorizerError, type Problem } from "@svc-authorizer/policy/errors.ts";
import {
  accessKeyProblem,
  type Guards,
  secretAccessKeyProblem,
  userNameProblem,
} from "@svc-authorizer/policy/model/names.ts";
import type { BatchOperation, MarkedPlan, MarkedState } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import { generateAccessKeyId, generateSecretAccessKey } from "../directory/records/generated-keys.ts";
import { ADMINS, SETUP_MARK, setupMark } from "../directory/write/set-up-mark.ts";
import { BOOTSTRAP_MARK, readMark } from "./bootstrap-mark.ts";
import { planSet } from "./plan-set.ts";
import { shippedSetOf } from "./shipped-set.ts";

/** The source of users in a data server's own set-up. */
const SOURCE = "internal";

/** The administrator to create. */
export interface NewAdministrator {
  readonly username: string;
  /** A key to import; if absent, one is generated. */
  readonly key?: { readonly access_key_id: string; readonly secret_access_key: string };
}

/** The key of a created administrator, in clear text. */
export interface CreatedAdministrator {
  readonly username: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  /** Unix seconds. */
  readonly creation_date: number;
}

/** The parts that creating an administrator needs. */
export interface AdministratorParts {
  readonly directory: Directory;
  readonly catalog: Catalog;
  readonly guards: Guards;
}

async function markOf(directory: Directory, name: string): Promise<unknown> {
  let found: unknown;
  await directory.batches.applyMarked(name, async ({ mark }) => {
    found = mark;
    return undefined;
  });
  return found;
}

/**
 * Leaves the mark in a store of an earlier version in which an administrator can sign in: later commits leave it
 * themselves.
 */
export async function noteAdministrator(directory: Directory): Promise<void> {
  await directory.batches.applyMarked(SETUP_MARK, async (state) => {
    if (state.mark !== undefined) return undefined;
    const username = await state.someAdministrator();
    return username === undefined ? undefined : { operations: [], mark: setupMark(username), result: true };
  });
}

/**
 * True if there was a way to sign in as an administrator at any time: only where there was none, the set-up is open. By
 * the mark, or by a bootstrap or an import in mode external.
 */
export async function isSetUp(directory: Directory): Promise<boolean> {
  if ((await markOf(directory, SETUP_MARK)) !== undefined) return true;
  return readMark(await markOf(directory, BOOTSTRAP_MARK))?.mode === "external";
}

/**
 * Sets up the first administrator, and the preconfigured groups and policies if the store is empty. Of several
 * concurrent calls one succeeds.
 * @throws AuthorizerError "already_exists" if the set-up is done, or if the user or key exists; "invalid_request"
 */
export async function setUpFirstAdministrator(
  parts: AdministratorParts,
  administrator: NewAdministrator,
): Promise<CreatedAdministrator> {
  const { directory, catalog } = parts;
  assertSound(administrator, parts.guards);
  const bootstrapped = readMark(await markOf(directory, BOOTSTRAP_MARK));
  const done = new AuthorizerError("already_exists", "the first administrator has been set up");
  if (bootstrapped?.mode === "external") throw done;
  const created = await directory.batches.applyMarked(SETUP_MARK, async (state) => {
    if (state.mark !== undefined) return undefined;
    const isFilled = bootstrapped !== undefined;
    const filling = isFilled
      ? []
      : (await planSet(shippedSetOf("external", catalog, ""), undefined, state)).operations;
    return plan(administrator, filling, state);
  });
  if (created === undefined) throw done;
  return created;
}

/**
 * Creates another administrator, and marks the set-up as done.
 * @throws AuthorizerError "already_exists" if the user or key exists; "invalid_request" without a group `Admins`
 */
export async function addAdministrator(
  { directory, guards }: Pick<AdministratorParts, "directory" | "guards">,
  administrator: NewAdministrator,
): Promise<CreatedAdministrator> {
  assertSound(administrator, guards);
  const created = await directory.batches.applyMarked(SETUP_MARK, async (state) => {
    if ((await state.group(ADMINS)) === undefined) {
      const message = `there is no group ${ADMINS}: svc-authorizer setup creates it with the first administrator`;
      throw new AuthorizerError("invalid_request", message);
    }
    return plan(administrator, [], state);
  });
  return created as CreatedAdministrator;
}

async function plan(
  { username, key }: NewAdministrator,
  filling: readonly BatchOperation[],
  state: MarkedState,
): Promise<MarkedPlan<CreatedAdministrator>> {
  if ((await state.user(username)) !== undefined)
    throw new AuthorizerError("already_exists", `user ${JSON.stringify(username)} already exists`);
  if (key !== undefined && (await state.keyOwner(key.access_key_id)) !== undefined)
    throw new AuthorizerError("already_exists", "the access key id belongs to another user");
  const result = {
    username,
    access_key_id: key?.access_key_id ?? generateAccessKeyId(),
    secret_access_key: key?.secret_access_key ?? generateSecretAccessKey(),
    creation_date: Math.floor(Date.now() / 1000),
  };
  return {
    operations: [
      ...filling,
      { op: "put_user", user: { username, source: SOURCE } },
      { op: "add_member", group: ADMINS, username },
      { op: "put_credential", ...result },
    ],
    mark: setupMark(username),
    result,
  };
}

function assertSound({ username, key }: NewAdministrator, guards: Guards): void {
  const problems: Problem[] = [];
  const add = (pointer: string, message: string | undefined): void => {
    if (message !== undefined) problems.push({ pointer, message });
  };
  add("/username", userNameProblem(username, guards));
  if (key !== undefined) {
    add("/access_key_id", accessKeyProblem(key.access_key_id));
    add("/secret_access_key", secretAccessKeyProblem(key.secret_access_key));
  }
  if (problems.length === 0) return;
  const message = problems.map((problem) => problem.message).join("; ");
  throw new AuthorizerError("invalid_request", message, { problems });
}
