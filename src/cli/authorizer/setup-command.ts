/**
 * What `svc-authorizer setup` does: the first administrator, in the store of a service that is not running, or through
 * the set-up of one that is, with the one-time token of its file.
 */

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import {
  type CreatedAdministrator,
  type NewAdministrator,
  setUpFirstAdministrator,
} from "../../bootstrap/first-administrator.ts";
import { auditOnce } from "../../compose/offline-store.ts";
import { setupTokenFile } from "../../compose/setup.ts";
import type { Environment } from "../../config/environment.ts";
import { parseListenAddress } from "../../config/listen-address.ts";
import type { ConfigValues } from "../../config/table.ts";
import { AuthorizerError, isErrorCode } from "../../errors.ts";
import { EXIT } from "../exit-codes.ts";
import type { ProcessEdge } from "../process-edge.ts";
import {
  type AdministratorFlags,
  type AskSecret,
  administratorOf,
  printAdministrator,
} from "./administrator-options.ts";
import { withDirectory } from "./superuser-command.ts";

/** Flags of `setup`. */
export interface SetupFlags extends AdministratorFlags {
  /** URL of the user listener of a running service. */
  readonly server?: string;
  /** File with the one-time token; default where the configured service keeps it. */
  readonly tokenFile?: string;
}

const PATH = "/api/v1/setup_lakefs";
const EVERY_INTERFACE: ReadonlyMap<string, string> = new Map([
  ["", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Sets up and prints the key. Answers the exit code; throws AuthorizerError where it cannot be done. */
export async function runSetup(
  values: ConfigValues,
  flags: SetupFlags,
  { edge, env, ask }: { edge: Pick<ProcessEdge, "stdout">; env: Environment; ask: AskSecret },
): Promise<number> {
  const administrator = await administratorOf(flags, env, ask);
  const made =
    flags.server === undefined
      ? await setUpHere(values, flags, administrator)
      : await setUpThere(flags.server, flags.tokenFile ?? setupTokenFile(values), administrator);
  printAdministrator(made, flags.json ?? false, edge.stdout);
  return EXIT.ok;
}

async function setUpHere(
  values: ConfigValues,
  { tokenFile = setupTokenFile(values) }: SetupFlags,
  administrator: NewAdministrator,
): Promise<CreatedAdministrator> {
  try {
    const made = await withDirectory(values, ({ directory, catalog }) =>
      setUpFirstAdministrator({ directory, catalog, guards: values["authorizer.guards"] }, administrator),
    );
    // A start that was set up elsewhere removes it too; here nobody need wait for that.
    if (tokenFile !== undefined) await rm(tokenFile, { force: true });
    const { username, access_key_id } = made;
    await auditOnce(values, "setup", { what: "first administrator", admin: username, access_key_id });
    return made;
  } catch (error) {
    const inUse = isErrorCode(error, "unavailable") && tokenFile !== undefined && existsSync(tokenFile);
    if (!inUse) throw error;
    return setUpThere(ownUrl(values), tokenFile, administrator);
  }
}

/** Where the configured service listens for people. */
function ownUrl(values: ConfigValues): string {
  const address = parseListenAddress(values["authorizer.user_listen_address"]);
  if (address === undefined || address.port === 0) {
    throw new AuthorizerError(
      "invalid_request",
      "the service is running: name its user listener with --server URL",
    );
  }
  const host = EVERY_INTERFACE.get(address.host) ?? address.host;
  const scheme = values["tls.enabled"] ? "https" : "http";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

async function setUpThere(
  server: string,
  tokenFile: string | undefined,
  { username, key }: NewAdministrator,
): Promise<CreatedAdministrator> {
  if (tokenFile === undefined) {
    throw new AuthorizerError("invalid_request", "name the file with the one-time token with --token-file");
  }
  const setup_token = await tokenIn(tokenFile);
  const body = JSON.stringify({ username, setup_token, ...(key === undefined ? {} : { key }) });
  const response = await post(new URL(server.replace(/\/+$/, "") + PATH), body);
  const answer = (await response.json().catch(() => ({}))) as Partial<CreatedAdministrator> & {
    message?: string;
  };
  if (response.status === 200) return { ...(answer as CreatedAdministrator), username };
  const message = answer.message ?? `${server} answered ${response.status}`;
  throw new AuthorizerError(response.status === 409 ? "already_exists" : "not_allowed", message);
}

async function post(url: URL, body: string): Promise<Response> {
  try {
    return await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body,
      redirect: "error",
    });
  } catch (cause) {
    const reason =
      ((cause as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error).message;
    throw new AuthorizerError("unavailable", `${url.origin} cannot be reached: ${reason}`, { cause });
  }
}

async function tokenIn(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    const message = `${file} cannot be read (${reason}): a service that is set up has no one-time token`;
    throw new AuthorizerError("invalid_request", message, { cause });
  }
}
