/** `setup --write-config`: the new key goes straight into svcctl's configuration file, instead of through a clipboard. */

import { resolve } from "node:path";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { readSettingsFile, settingsPlace } from "@svc-authorizer/commands/settings/settings-file.ts";
import { writeSettingsFile } from "@svc-authorizer/commands/settings/write-settings-file.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { CreatedAdministrator } from "../../bootstrap/first-administrator.ts";

/** A file that may take the key. */
interface SvcctlConfig {
  readonly path: string;
  /** Writes key and endpoint, with mode 600. Throws where the file cannot be written. */
  write(administrator: CreatedAdministrator, endpointUrl: string): void;
}

/**
 * The file that `--write-config` names, else the one that svcctl reads by default.
 * @throws AuthorizerError "already_exists" where it holds a key or a server already, which may exist nowhere else
 */
export function svcctlConfig(named: string | true, env: Environment, cwd: string): SvcctlConfig {
  const { path } = settingsPlace({ options: named === true ? {} : { config: named }, env, edge: { cwd } });
  const { values, fault, missing = false } = readSettingsFile(path);
  const taken = (["credentials.access_key_id", "credentials.secret_access_key"] as const).some((name) =>
    values.has(name),
  );
  if (taken || (fault !== undefined && !missing)) {
    const why = taken ? "has a key already, perhaps for another server" : `cannot be used: ${fault}`;
    const advice = "--write-config FILE names another file, which svcctl --config FILE then reads";
    throw new AuthorizerError("already_exists", `${resolve(path)} ${why}; ${advice}`);
  }
  return {
    path,
    write: ({ access_key_id, secret_access_key }, endpointUrl) =>
      writeSettingsFile(path, values, {
        accessKeyId: access_key_id,
        secretAccessKey: secret_access_key,
        endpointUrl,
      }),
  };
}
