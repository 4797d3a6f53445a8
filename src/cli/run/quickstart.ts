/** `run --quickstart`: a service that works without a configuration file (spec/decision-api §1). */

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Environment } from "@svc-authorizer/commands/environment.ts";
import { makeFolder } from "@svc-authorizer/commands/make-folder.ts";
import { AuthorizerError, messageOf } from "@svc-authorizer/policy/errors.ts";
import type { ConfigObject, FlagValue, LoadOptions } from "../../config/load.ts";

/** The default data folder of the quick start. */
const QUICKSTART_FOLDER = "./.svc-authorizer";

/** Flags that select the quick start and its data folder. */
export interface QuickstartFlags {
  readonly quickstart?: boolean;
  readonly data?: string;
}

const DATASET = fileURLToPath(new URL("../../../fixtures/datasets/quickstart.yaml", import.meta.url));
const TOKEN_FILE = "token";
const SECRET_BYTES = 32;
const OWNER_ONLY = 0o600;
const OWNER_FOLDER = 0o700;

/** The values that the quick start adds to a configuration. */
interface Quickstart {
  /** Absolute path of its data. */
  readonly folder: string;
  /** Data and secrets: no variable changes them. */
  readonly flags: readonly FlagValue[];
  readonly defaults: ConfigObject;
  /** File with the bearer token. */
  readonly tokenFile: string;
}

/** Absolute path of the folder that the flags name. */
export function quickstartFolder({ data = QUICKSTART_FOLDER }: QuickstartFlags): string {
  return resolve(data);
}

/** Whether a quick start was made in the folder. */
export function isQuickstart(folder: string): boolean {
  return existsSync(join(folder, TOKEN_FILE));
}

/** Returns the configuration sources of a quick start: no file, and no variable moves its data or secrets. */
export function quickstartConfig(
  { flags, defaults }: Quickstart,
  given: readonly FlagValue[],
  env: Environment,
): LoadOptions {
  return { env, flags: [...given, ...flags], defaults, configFile: false };
}

/**
 * Prepares the folder: makes secrets on first use (mode 600) and reads them later.
 * @throws AuthorizerError "unavailable" when the folder cannot be written
 */
export function prepareQuickstart(folder: string): Quickstart {
  try {
    makeFolder(folder, OWNER_FOLDER);
    const tokenFile = join(folder, TOKEN_FILE);
    const flag = "--quickstart";
    return {
      folder,
      tokenFile,
      flags: [
        { item: "database.type", value: "local", flag },
        { item: "database.local.path", value: folder, flag },
        { item: "auth.encrypt.secret_key", value: secretIn(join(folder, "secret_key")), flag },
        { item: "auth.api.token", value: secretIn(tokenFile), flag },
      ],
      defaults: {
        listen_address: "127.0.0.1:8000",
        logging: { output: "=", level: "WARN" },
        authorizer: {
          listen_address: "127.0.0.1:8001",
          metrics_address: "127.0.0.1:8002",
          datasets: [DATASET],
          decision_log: { include: "denied", directory: join(folder, "decision-log") },
        },
      },
    };
  } catch (cause) {
    const reason = messageOf(cause);
    throw new AuthorizerError("unavailable", `the folder ${folder} cannot be used: ${reason}`, { cause });
  }
}

function secretIn(file: string): string {
  if (!existsSync(file)) {
    writeFileSync(file, `${randomBytes(SECRET_BYTES).toString("base64url")}\n`, {
      mode: OWNER_ONLY,
      flag: "wx",
    });
  }
  return readFileSync(file, "utf8").trim();
}

/** Whether a quick start has other data sets than its own, so that nobody knows who is in them. */
export function hasOwnDatasets(datasets: readonly string[]): boolean {
  return !datasets.includes(DATASET);
}

/** A path as somebody in `cwd` would type it. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") ? path : short;
}
