/** Commands on objects beside `svcctl fs`, as data. */

import { JSON_OUTPUT } from "../auth/auth-options.ts";
import type { CommandSpec } from "../command.ts";
import { EXAMPLE, PATH } from "../uri/arguments.ts";

/** `svcctl annotate`. */
export const OBJECT_COMMANDS: readonly CommandSpec[] = [
  {
    ...PATH,
    name: "annotate",
    description: "Lists entries below a path, each with the latest commit that changed it.",
    examples: [`${EXAMPLE}/main/data/`, `${EXAMPLE}/main/data/ --recursive`],
    options: [
      { flags: "--first-parent", description: "follow only the first parent of merge commits" },
      { flags: "-r, --recursive", description: "annotate all objects below the path" },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./annotate.ts")).annotate,
  },
];
