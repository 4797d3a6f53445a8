/** `svcctl plugin`, as data. */

import type { GroupSpec } from "../command.ts";

/** Plugins: executables `svcctl-NAME` in PATH, which `svcctl NAME` runs. */
export const PLUGIN_GROUP: GroupSpec = {
  name: "plugin",
  description: "Lists plugins: executables svcctl-NAME in the folders of PATH. svcctl NAME runs one.",
  commands: [
    {
      name: "list",
      description: "Lists plugins.",
      examples: ["", "--verbose"],
      options: [
        { flags: "-v, --verbose", description: "show paths, and why other files are no plugins" },
        { flags: "--json", description: "print JSON" },
      ],
      load: async () => (await import("./list-plugins.ts")).listPlugins,
    },
  ],
};
