/** `svcctl import` and `ingest`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { CommandSpec } from "../command.ts";
import { commitOptions } from "../commits/commit-options.ts";
import { EXAMPLE } from "../uri/arguments.ts";

const FROM: OptionSpec = {
  flags: "--from <uri>",
  description: "prefix to read from, such as s3://example-bucket/sub/path/, outside of a storage namespace",
  required: true,
};
const TO: OptionSpec = {
  flags: "--to <uri>",
  description: `path to load objects into, such as ${EXAMPLE}/main/sub/path/`,
  required: true,
};
const CALL = `--from s3://example-bucket/sub/path/ --to ${EXAMPLE}/main/sub/path/`;

/** Commands that link objects of a store with a repository, without copying them. */
export const IMPORT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "import",
    description: "Imports objects of a store into a branch as one commit, without copying them.",
    examples: [`${CALL} --message "Import"`],
    options: [
      FROM,
      TO,
      ...commitOptions(true),
      { flags: "--no-progress", description: "no progress line" },
      { flags: "--merge", description: "", hidden: true },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./import-objects.ts")).importObjects,
  },
  {
    name: "ingest",
    description: "Links objects of a store with a branch one by one, without copying them or committing.",
    examples: [`${CALL} --dry-run`, CALL],
    options: [
      FROM,
      TO,
      { flags: "-C, --concurrency <int>", description: "calls at once", kind: "integer", default: 64 },
      { flags: "--dry-run", description: "only print the addresses of the objects" },
      {
        flags: "--s3-endpoint-url <url>",
        description: "address of a store that speaks S3 (default: the public service)",
      },
      { flags: "-v, --verbose", description: "print each object" },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./ingest.ts")).ingest,
  },
];
