/** The items of SCIM. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.scim`. */
export const SCIM_ITEMS = [
  {
    name: "authorizer.scim.protected_groups",
    type: "strings",
    default: ["Admins"],
    acts: "yes",
    meaning:
      "Patterns of the names of groups that identity providers may not change by SCIM, and neither their members",
  },
  {
    name: "authorizer.scim.unknown_extensions",
    type: "choice",
    choices: ["ignore", "refuse"],
    default: "ignore",
    acts: "yes",
    meaning:
      "Operations of SCIM on attributes of extensions that the service does not know: ignored, so that the others are done, or refused with all",
  },
  {
    name: "authorizer.scim.replace_without_match",
    type: "choice",
    choices: ["add", "refuse"],
    default: "add",
    acts: "yes",
    meaning:
      "Replacing values of which none passes the filter, by SCIM: the value that the filter describes is added, or all operations are refused",
  },
] as const satisfies readonly ConfigItem[];
