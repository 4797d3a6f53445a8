/** The items of SCIM. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.scim`. */
export const SCIM_ITEMS = [
  {
    name: "authorizer.scim.protected_groups",
    type: "strings",
    default: ["Admins"],
    acts: "yes",
    meaning: "Name patterns of groups that SCIM cannot change, nor their members",
  },
  {
    name: "authorizer.scim.unknown_extensions",
    type: "choice",
    choices: ["ignore", "refuse"],
    default: "ignore",
    acts: "yes",
    meaning: "SCIM operations on unknown extension attributes: ignore them and do the others, or refuse all",
  },
  {
    name: "authorizer.scim.replace_without_match",
    type: "choice",
    choices: ["add", "refuse"],
    default: "add",
    acts: "yes",
    meaning:
      "SCIM replacements whose filter matches nothing: add the value that the filter describes, or refuse all operations",
  },
] as const satisfies readonly ConfigItem[];
