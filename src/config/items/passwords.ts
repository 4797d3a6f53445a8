/** The items of passwords that the directory keeps. */
import type { ConfigItem } from "../item.ts";

/** The section `authorizer.passwords`. */
export const PASSWORD_ITEMS = [
  {
    name: "authorizer.passwords.enabled",
    type: "bool",
    default: false,
    acts: "yes",
    meaning: "People sign in with a user name and a password that this service keeps",
  },
  {
    name: "authorizer.passwords.linked_users",
    type: "bool",
    default: false,
    acts: "yes",
    meaning:
      "Passwords that users had before an identity provider was linked to them go on counting; false: the provider alone signs them in",
  },
  {
    name: "authorizer.passwords.min_length",
    type: "int",
    default: 15,
    min: 8,
    max: 128,
    acts: "yes",
    meaning:
      "Fewest characters of a new password; 15 where it is all that people sign in with (NIST SP 800-63B)",
  },
  {
    name: "authorizer.passwords.breached_list_file",
    type: "string",
    default: null,
    path: "file",
    acts: "yes",
    meaning:
      "Absolute path of a file with passwords that are refused: one on each line, or the ordered SHA-1 list of Have I Been Pwned",
  },
  {
    name: "authorizer.passwords.concurrency",
    type: "int",
    default: 1,
    min: 1,
    max: 16,
    acts: "yes",
    meaning:
      "Passwords that are hashed at once, each in a thread with 19 MiB for some 60 ms; 64 wait, further ones are 503",
  },
] as const satisfies readonly ConfigItem[];
