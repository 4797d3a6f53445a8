import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";

/** `--poll-interval` and `--timeout`. */
export const POLLING: readonly OptionSpec[] = [
  { flags: "--poll-interval <duration>", description: "time between two looks at the task", default: "3s" },
  {
    flags: "--timeout <duration>",
    description: "give up when the task has not moved for this long",
    default: "1h0m0s",
  },
];
