/** Implements `svc-authorizer rotate-key`. */

import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ProcessEdge } from "@svc-authorizer/commands/process-edge.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { auditingUnknownOnce, auditOnce, withOfflineStore } from "../../compose/store/offline-store.ts";
import type { ConfigValues } from "../../config/table.ts";
import { SHORTEST_SECRET_KEY_BYTES } from "../../config/validate.ts";
import { isKnownPlaceholder } from "../../config/values/placeholder.ts";
import { rotateSecretKey } from "../../directory/upkeep/rotate-key.ts";
import { type CommandCall, flagsOf } from "../command.ts";
import type { ConfigFlags } from "../command-context.ts";
import { storeValues } from "./store-values.ts";

/** Arguments of `rotate-key`. */
interface RotateKeyOptions {
  readonly fromEnv: string;
  readonly toEnv: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly env: Environment;
}

const PROGRESS_INTERVAL_MS = 2_000;

function keyIn(env: Environment, name: string): string {
  // Trimmed as the configuration does.
  const key = env[name]?.trim();
  if (key === undefined || key === "") {
    throw new AuthorizerError("invalid_request", `the variable ${name} is not set`);
  }
  return key;
}

function checkNewKey(key: string, name: string, values: ConfigValues): void {
  if (values["authorizer.allow_weak_key"]) return;
  if (isKnownPlaceholder(key) || Buffer.byteLength(key) < SHORTEST_SECRET_KEY_BYTES) {
    const message = `the key in ${name} is weak: at least ${SHORTEST_SECRET_KEY_BYTES} random bytes are expected; make one with: openssl rand -hex 32`;
    throw new AuthorizerError("invalid_request", message);
  }
}

/** Rotates the key and says what was done. Answers the exit code; throws AuthorizerError where it cannot be done. */
async function runRotateKey(
  values: ConfigValues,
  { fromEnv, toEnv, force = false, json = false, env }: RotateKeyOptions,
  { stdout, stderr }: Pick<ProcessEdge, "stdout" | "stderr">,
): Promise<number> {
  const oldKey = keyIn(env, fromEnv);
  const newKey = keyIn(env, toEnv);
  checkNewKey(newKey, toEnv, values);
  let lastReport = Date.now();
  const report = await auditingUnknownOnce(values, "key_rotation", {}, () =>
    withOfflineStore(values, (store) =>
      rotateSecretKey({
        store,
        oldKey,
        newKey,
        force,
        now: () => Math.floor(Date.now() / 1_000),
        onProgress: (sealed) => {
          if (Date.now() - lastReport < PROGRESS_INTERVAL_MS) return;
          lastReport = Date.now();
          stderr.write(`${sealed} secrets encrypted\n`);
        },
      }),
    ),
  );
  const { outcome, sealed, verified } = report;
  if (outcome === "rotated") await auditOnce(values, "key_rotation", { sealed, verified });
  if (json) stdout.write(`${JSON.stringify(report)}\n`);
  else if (outcome === "already") {
    stdout.write(`nothing to do: all ${verified} secrets are encrypted with the new key\n`);
  } else {
    stdout.write(
      `${sealed} secrets encrypted anew, ${verified} verified; the old key no longer opens the store: set auth.encrypt.secret_key to the new one\n`,
    );
  }
  return EXIT.ok;
}

/** The command on the command line. */
export async function rotateKey(call: CommandCall): Promise<void> {
  const flags = flagsOf<ConfigFlags & Omit<RotateKeyOptions, "env">>(call);
  const { context } = call;
  const { edge, env } = context;
  context.finish(await runRotateKey(storeValues(context, flags), { ...flags, env }, edge));
}
