/**
 * Implements `svc-authorizer setup`: it creates the first administrator, in the store of a service that is not running,
 * or through the set-up of one that is, with the one-time token of its file.
 */

import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import type { ApiAnswer } from "@svc-authorizer/commands/rest-client/attempt.ts";
import { RestClient } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import { RetriesExhausted } from "@svc-authorizer/commands/rest-client/retries.ts";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import {
  type CreatedAdministrator,
  type NewAdministrator,
  setUpFirstAdministrator,
} from "../../bootstrap/first-administrator.ts";
import { auditingUnknownOnce, auditOnce } from "../../compose/store/offline-store.ts";
import { setupTokenFile } from "../../config/setup-token-file.ts";
import type { ConfigValues } from "../../config/table.ts";
import { parseListenAddress } from "../../config/values/listen-address.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import { type AdministratorConfigFlags, administratorConfig } from "./administrator-config.ts";
import {
  type AdministratorFlags,
  type AskSecret,
  administratorOf,
  askAtTerminal,
  printAdministrator,
} from "./administrator-options.ts";
import { withDirectory } from "./superuser-command.ts";
import { svcctlConfig } from "./svcctl-config.ts";

/** Flags of `setup`. */
interface SetupFlags extends AdministratorFlags {
  /** URL of the user listener of a running service. */
  readonly server?: string;
  /** File with the one-time token; default where the configured service keeps it. */
  readonly tokenFile?: string;
  /** Write the key into svcctl's configuration file: its own, or the one that is named. */
  readonly writeConfig?: string | true;
}

/** The process and its configuration. */
interface SetupContext {
  readonly edge: Pick<ProcessEdge, "stdout">;
  readonly env: Environment;
  readonly ask: AskSecret;
  /** User listener of the service that has the store open, where the configuration does not know. */
  readonly runningAt?: string | undefined;
}

/** An administrator, and where svcctl finds the service: unknown where that takes whatever port is free. */
interface Done {
  readonly made: CreatedAdministrator;
  readonly endpointUrl: string | undefined;
}

const PATH = ["api", "v1", "setup_lakefs"];
const EVERY_INTERFACE: ReadonlyMap<string, string> = new Map([
  ["", "127.0.0.1"],
  ["0.0.0.0", "127.0.0.1"],
  ["::", "::1"],
]);

/** Sets up and prints the key. Answers the exit code; throws AuthorizerError where it cannot be done. */
async function runSetup(
  values: ConfigValues,
  flags: SetupFlags,
  { edge, env, ask, runningAt }: SetupContext,
): Promise<number> {
  const { server, writeConfig, json = false } = flags;
  // Looked at first: once the key is made, it should not get lost on a file that cannot take it.
  const config = writeConfig === undefined ? undefined : svcctlConfig(writeConfig, env, process.cwd());
  if (config !== undefined && (server ?? runningAt ?? configuredUrl(values)) === undefined)
    throw nameServer();
  const administrator = await administratorOf(flags, env, ask);
  const { made, endpointUrl } =
    server === undefined
      ? await setUpHere(values, { ...flags, runningAt }, administrator)
      : await setUpThere(server, flags.tokenFile ?? setupTokenFile(values), administrator);
  printAdministrator(made, json, edge.stdout);
  if (config !== undefined && endpointUrl !== undefined) {
    config.write(made, endpointUrl);
    if (!json) edge.stdout.write(`svcctl is configured: ${config.path}\n`);
  }
  return EXIT.ok;
}

async function setUpHere(
  values: ConfigValues,
  {
    tokenFile = setupTokenFile(values),
    runningAt,
  }: Pick<SetupFlags, "tokenFile"> & Pick<SetupContext, "runningAt">,
  administrator: NewAdministrator,
): Promise<Done> {
  try {
    const asked = { what: "first administrator", admin: administrator.username };
    const made = await auditingUnknownOnce(values, "setup", asked, () =>
      withDirectory(values, ({ directory, catalog }) =>
        setUpFirstAdministrator({ directory, catalog, guards: values["authorizer.guards"] }, administrator),
      ),
    );
    // The next start would remove it too.
    if (tokenFile !== undefined) await rm(tokenFile, { force: true });
    await auditOnce(values, "setup", { ...asked, access_key_id: made.access_key_id });
    return { made, endpointUrl: configuredUrl(values) };
  } catch (error) {
    if (!isErrorCode(error, "unavailable") || tokenFile === undefined) throw error;
    if (!existsSync(tokenFile)) {
      const message = `${error.message} There is no ${tokenFile}: it seems to be set up, then svcctl with the administrator's key makes more.`;
      throw new AuthorizerError("unavailable", message, { cause: error });
    }
    const server = runningAt ?? configuredUrl(values);
    if (server === undefined) throw nameServer();
    return setUpThere(server, tokenFile, administrator);
  }
}

function nameServer(): AuthorizerError {
  const message = "the service takes whatever port is free: name its user listener with --server URL";
  return new AuthorizerError("invalid_request", message);
}

/** Returns the URL of the configured user listener, or undefined if only the running service knows its port. */
function configuredUrl(values: ConfigValues): string | undefined {
  const address = parseListenAddress(values["authorizer.user_listen_address"]);
  if (address === undefined || address.port === 0) return undefined;
  const host = EVERY_INTERFACE.get(address.host) ?? address.host;
  const scheme = values["tls.enabled"] ? "https" : "http";
  return `${scheme}://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}

async function setUpThere(
  server: string,
  tokenFile: string | undefined,
  { username, key }: NewAdministrator,
): Promise<Done> {
  if (tokenFile === undefined) {
    throw new AuthorizerError("invalid_request", "name the file with the one-time token with --token-file");
  }
  const setup_token = await tokenIn(tokenFile);
  const body = { username, setup_token, ...(key === undefined ? {} : { key }) };
  const { status, json } = await post(server.replace(/\/+$/, ""), body);
  const answer = (json ?? {}) as Answer;
  if (status === 200 && isAdministrator(answer)) {
    return { made: { ...answer, username }, endpointUrl: server };
  }
  if (status === 401) {
    const message = `${server} does not know the token of ${tokenFile}: it is that of another service, or of an earlier start`;
    throw new AuthorizerError("not_allowed", message);
  }
  const message = `${server} answered ${status}${answer.message === undefined ? "" : `: ${answer.message}`}`;
  throw new AuthorizerError(status === 409 ? "already_exists" : "not_allowed", message);
}

type Answer = Partial<CreatedAdministrator> & { readonly message?: string };

function isAdministrator(answer: Answer): answer is CreatedAdministrator {
  return typeof answer.access_key_id === "string" && typeof answer.secret_access_key === "string";
}

async function post(base: string, body: unknown): Promise<ApiAnswer> {
  const retries = { enabled: false, maxAttempts: 0, minWaitMs: 0, maxWaitMs: 0 };
  // A redirection would give the token to another server.
  const rest = new RestClient({ base, headers: {}, retries, redirect: "error" });
  try {
    return await rest.ask({ method: "POST", path: PATH, body });
  } catch (error) {
    if (!(error instanceof RetriesExhausted)) throw error;
    const message = `${base} cannot be reached: ${error.reason}`;
    throw new AuthorizerError("unavailable", message, { cause: error });
  }
}

async function tokenIn(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? "unknown error";
    const message = `${file} cannot be read (${reason}): a service that is set up has no one-time token, that of npm start is found with --quickstart, any other with --token-file`;
    throw new AuthorizerError("invalid_request", message, { cause });
  }
}

/** The command on the command line. */
export async function setup(call: CommandCall): Promise<void> {
  const flags = flagsOf<AdministratorConfigFlags & SetupFlags>(call);
  const { edge, env } = call.context;
  // In a running service the configuration says only where the token is kept.
  const requirements = flags.server === undefined ? "run" : "none";
  const { values, runningAt } = administratorConfig(call.context, flags, requirements);
  call.context.finish(await runSetup(values, flags, { edge, env, ask: askAtTerminal, runningAt }));
}
