/** svcctl as a shell finds it, for tests of completion scripts. */

import { chmodSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { temporaryFolder } from "../../../test/temporary-folder.ts";

const PROGRAM = join(import.meta.dirname, "..", "bin", "svcctl.cjs");

/**
 * Returns a home that has `svcctl` in the path.
 * @param own further variables of the environment
 */
export function homeWithSvcctl(own: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const launcher = join(folder, "svcctl");
  writeFileSync(launcher, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(launcher, 0o755);
  const env = { HOME: folder, PATH: `${folder}${delimiter}${process.env["PATH"]}`, ...own };
  return { folder, env };
}

/** Names that a shell would run, or read as another name, unless they are quoted. */
export const HOSTILE_NAMES = [
  "z$(touch${IFS}made)",
  "z`touch${IFS}made`",
  "z;touch",
  "z'quoted",
  'z"quoted',
  "z&y",
  "z\\y",
  "z\\:y",
  "z:y",
  "z*",
];
