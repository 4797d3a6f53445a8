/** Items that a data server has too: actions (hooks). */
import type { ConfigItem } from "../item.ts";

/** Actions (hooks). */
export const ACTIONS_ITEMS = [
  {
    name: "actions.enabled",
    type: "bool",
    default: true,
    actsOn: "data server",
    meaning: "Run hooks; false runs none",
  },
  {
    name: "actions.lua.net_http_enabled",
    type: "bool",
    default: false,
    actsOn: "data server",
    meaning: "Load the HTTP package for hook scripts",
  },
  {
    name: "actions.env.enabled",
    type: "bool",
    default: true,
    actsOn: "data server",
    meaning: "Let hooks read environment variables",
  },
  {
    name: "actions.env.prefix",
    type: "string",
    default: "SVCACTION_",
    actsOn: "data server",
    meaning: "Only environment variables with this prefix are visible",
  },
] as const satisfies readonly ConfigItem[];
