/** Finds the secrets of credentials, in the file or in the environment. */

import { secretAccessKeyProblem } from "@svc-authorizer/policy/model/names.ts";
import type { MergedDataset } from "./merge.ts";
import type { ProblemList } from "./problem-list.ts";

/** Reads an environment variable; undefined if it is not set. */
export type Environment = (name: string) => string | undefined;

/** Secrets by access key id. A missing or empty variable is a problem. No message contains a value. */
export function resolveSecrets(
  merged: MergedDataset,
  env: Environment,
  problems: ProblemList,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const { value, source, pointer } of merged.users.entries.values()) {
    for (const [index, credential] of (value.credentials ?? []).entries()) {
      const { access_key_id, secret_access_key, secret_access_key_env } = credential;
      const secret = secret_access_key_env === undefined ? secret_access_key : env(secret_access_key_env);
      const message =
        secret === undefined || secret === ""
          ? "the environment variable of this name is not set"
          : secretAccessKeyProblem(secret);
      const field = secret_access_key_env === undefined ? "secret_access_key" : "secret_access_key_env";
      if (message !== undefined) problems.add(source, `${pointer}/credentials/${index}/${field}`, message);
      secrets.set(access_key_id, secret ?? "");
    }
  }
  return secrets;
}
