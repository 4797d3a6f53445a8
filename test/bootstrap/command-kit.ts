/** Commands of `svc-authorizer` on a local store in a folder of the test. */

import { join } from "node:path";
import { runAuthorizer } from "../../src/cli/program.ts";

/** A configuration with its store below `folder`. */
export function storeItems(folder: string, secretKey: string) {
  return {
    "database.type": "local",
    "database.local.path": folder,
    "database.local.sync_writes": "false",
    "auth.encrypt.secret_key": secretKey,
    "logging.level": "NONE",
    "authorizer.audit.output": join(folder, "audit.log"),
  };
}

/** Runs a command line in this process. */
export async function runCommand(
  args: readonly string[],
  items: Readonly<Record<string, string>>,
  env: Record<string, string> = {},
) {
  const out = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      out[name] += text;
    },
  });
  const flags = Object.entries(items).flatMap(([item, value]) => ["--set", `${item}=${value}`]);
  const edge = {
    stdout: sink("stdout"),
    stderr: sink("stderr"),
    onStop: () => {},
    onReload: () => {},
    abort: () => {},
  };
  const HOME = items["database.local.path"] ?? "";
  const code = await runAuthorizer([...args, ...flags], edge, { HOME, ...env });
  return { code, ...out };
}
