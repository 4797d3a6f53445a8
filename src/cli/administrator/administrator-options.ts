/** Shared by `setup` and `superuser`: options for a given key, and the output of a new one. */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { assertInstalled } from "@svc-authorizer/commands/optional-packages.ts";
import type { TextOutput } from "@svc-authorizer/commands/process-edge.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CreatedAdministrator, NewAdministrator } from "../../bootstrap/first-administrator.ts";

/** Flags that say who becomes an administrator. */
export interface AdministratorFlags {
  readonly userName: string;
  /** Import this key; its secret comes from a variable or a prompt, never from the command line. */
  readonly accessKeyId?: string;
  /** Variable that has the secret. */
  readonly secretEnv?: string;
  readonly json?: boolean;
}

/** Asks a person for a secret; throws "invalid_request" where there is no terminal. */
export type AskSecret = (message: string) => Promise<string>;

const PROMPT = "@inquirer/password";

/**
 * Asks at the terminal, showing a star for each character.
 * @throws AuthorizerError "invalid_request" without a terminal, or where the package of the prompt is not installed
 */
export async function askAtTerminal(message: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new AuthorizerError(
      "invalid_request",
      "no terminal to ask for the secret: name its variable with --secret-env",
    );
  }
  assertInstalled("The prompt for a secret, in whose place --secret-env names a variable,", [PROMPT]);
  const { default: password } = await import("@inquirer/password");
  return password({ message, mask: "*" });
}

/** The administrator that the flags describe. */
export async function administratorOf(
  { userName: username, accessKeyId, secretEnv }: AdministratorFlags,
  env: Environment,
  ask: AskSecret,
): Promise<NewAdministrator> {
  if (accessKeyId === undefined) {
    if (secretEnv === undefined) return { username };
    throw new AuthorizerError(
      "invalid_request",
      "--secret-env needs --access-key-id: both import a key, neither makes one",
    );
  }
  const secret = secretEnv === undefined ? await ask("Secret access key") : env[secretEnv];
  if (secret === undefined || secret === "") {
    const message =
      secretEnv === undefined ? "the secret must not be empty" : `the variable ${secretEnv} is not set`;
    throw new AuthorizerError("invalid_request", message);
  }
  return { username, key: { access_key_id: accessKeyId, secret_access_key: secret } };
}

/** Prints the key: this once. */
export function printAdministrator(made: CreatedAdministrator, json: boolean, stdout: TextOutput): void {
  if (json) {
    stdout.write(`${JSON.stringify(made)}\n`);
    return;
  }
  stdout.write(
    [
      `Administrator ${made.username} created.`,
      `Access Key ID:     ${made.access_key_id}`,
      `Secret Access Key: ${made.secret_access_key}`,
      "",
      "Keep these somewhere safe since you will not be able to see the secret key again",
      "",
    ].join("\n"),
  );
}
