/** Options that commands share which move contents of objects. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";

/** `--pre-sign`. */
export const PRE_SIGN: readonly OptionSpec[] = [
  {
    flags: "--pre-sign",
    description: "move contents with pre-signed URLs past the server (recommended)",
    default: true,
  },
  { flags: "--no-pre-sign", description: "", hidden: true },
];

/** Options of a transfer. */
export const TRANSFER: readonly OptionSpec[] = [
  {
    flags: "-p, --parallelism <int>",
    description: "operations at once",
    kind: "integer",
    default: 25,
  },
  ...PRE_SIGN,
  { flags: "--no-progress", description: "no progress bar" },
];
