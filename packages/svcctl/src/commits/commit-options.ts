/** Options of commands that make commits. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";

export const ALLOW_EMPTY_COMMIT: OptionSpec = {
  flags: "--allow-empty-commit",
  description: "allow a commit with no changes",
};
export const PARENT_NUMBER: OptionSpec = {
  flags: "-m, --parent-number <int>",
  description: "parent of a merge commit that its changes are relative to, counted from 1",
  kind: "integer",
};

const MESSAGE: OptionSpec = { flags: "-m, --message <string>", description: "commit message" };
const META: OptionSpec = {
  flags: "--meta <strings>",
  description: "metadata of the commit, as key=value (repeatable, or with commas)",
  kind: "list",
};

/** Message and metadata; `emptyMessage` is the default of `--allow-empty-message`. */
export function commitOptions(emptyMessage: boolean): readonly OptionSpec[] {
  return [
    MESSAGE,
    {
      flags: "--allow-empty-message",
      description: "allow an empty commit message",
      ...(emptyMessage && { default: true }),
    },
    // What `--allow-empty-message=false` means where true is the default.
    ...(emptyMessage ? [{ flags: "--no-allow-empty-message", description: "", hidden: true } as const] : []),
    META,
  ];
}
