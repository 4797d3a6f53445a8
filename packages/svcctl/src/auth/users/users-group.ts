/** `svcctl auth users`, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandSpec, GroupSpec } from "../../command.ts";
import type { Column } from "../../output/records.ts";
import { JSON_OUTPUT, OWN_ID, PAGING, PRINCIPAL, SEARCH, USER_ID } from "../auth-options.ts";
import {
  attachmentCommands,
  changeCommand,
  entityCommands,
  listCommand,
  showCommand,
} from "../auth-specs.ts";

const DATE: Column = {
  heading: "Creation Date",
  name: "creation_date",
  fields: ["creation_date"],
  kind: "date",
};
const COLUMNS: readonly Column[] = [
  { heading: "ID", name: "id", fields: ["id"] },
  { heading: "User", name: "name", fields: ["friendly_name", "email", "id"] },
  DATE,
];
const USER = { path: "users", noun: "user", example: "bob", id: USER_ID } as const;

const SELF = { option: "id", orSelf: true } as const;
const KEYS = ["auth", "users", SELF, "credentials"] as const;
const KEY = [...KEYS, { option: "accessKeyId" }] as const;

const KEY_COLUMNS: readonly Column[] = [
  { heading: "Access Key ID", name: "access_key_id", fields: ["access_key_id"] },
  { ...DATE, heading: "Issued Date" },
  { heading: "Expires", name: "expires_at", fields: ["expires_at"], kind: "date", onlyIfAny: true },
];
const KEY_ID: OptionSpec = {
  flags: "--access-key-id <string>",
  description: "access key id",
  required: true,
};
const EXPIRES_IN: OptionSpec = {
  flags: "--expires-in <duration>",
  description: "time after which the key is refused, such as 12h30m; by default it does not expire",
};
const LAST_USED: OptionSpec = { flags: "--last-used", description: "also show when each was used last" };
const LIST: CommandSpec = {
  name: "list",
  description: "Lists users.",
  examples: ["", "--prefix b --amount 20", "--last-used", "--all -o json"],
  options: [LAST_USED, SEARCH, ...PAGING],
  load: async () =>
    (await import("./last-used-list.ts")).listingWithUse({ path: ["auth", "users"], columns: COLUMNS }),
};

const CREDENTIALS: GroupSpec = {
  name: "credentials",
  description: "Manages access keys of users.",
  commands: [
    {
      name: "list",
      description: "Lists the access keys of a user.",
      examples: ["", "--id bob", "--id bob --last-used"],
      options: [OWN_ID, LAST_USED, ...PAGING],
      load: async () =>
        (await import("./last-used-list.ts")).listingWithUse({
          path: KEYS,
          columns: KEY_COLUMNS,
          look: (await import("./list-keys.ts")).warnOfExpiry,
        }),
    },
    {
      name: "create",
      description: "Creates an access key; its secret is shown this once.",
      examples: ["--id bob", "--id bob --expires-in 720h", "--id bob --json"],
      options: [OWN_ID, EXPIRES_IN, JSON_OUTPUT],
      load: async () => (await import("./create-credentials.ts")).createCredentials,
    },
    showCommand(
      {
        name: "show",
        description: "Shows an access key, without its secret.",
        examples: ["--id bob --access-key-id AKIAJIOSFODNN7EXAMPQ"],
        options: [OWN_ID, KEY_ID],
      },
      { path: KEY, columns: KEY_COLUMNS },
    ),
    changeCommand(
      {
        name: "delete",
        description: "Deletes an access key.",
        examples: ["--id bob --access-key-id AKIAJIOSFODNN7EXAMPQ"],
        options: [OWN_ID, KEY_ID],
      },
      {
        method: "DELETE",
        path: KEY,
        expect: 204,
        done: "Credentials deleted successfully",
      },
    ),
  ],
};

const SESSIONS = ["auth", "users", SELF, "sessions"] as const;

const SESSION_COMMANDS: GroupSpec = {
  name: "sessions",
  description: "Manages the sessions of users.",
  commands: [
    listCommand(
      {
        name: "list",
        description: "Lists the sessions of a user: where somebody is signed in as this user.",
        examples: ["", "--id bob"],
        options: [OWN_ID],
      },
      {
        path: SESSIONS,
        columns: [
          { heading: "Session ID", name: "id", fields: ["id"] },
          { heading: "Way", name: "how", fields: ["how"] },
          { heading: "Provider", name: "provider", fields: ["provider"], onlyIfAny: true },
          { heading: "Address", name: "source_ip", fields: ["source_ip"] },
          { heading: "Signed In", name: "created_at", fields: ["created_at"], kind: "date" },
          { heading: "Ends", name: "expires_at", fields: ["expires_at"], kind: "date" },
        ],
      },
    ),
    changeCommand(
      {
        name: "end",
        description: "Ends one session of a user; the others go on.",
        examples: ["--id bob --session-id 01m3x8k2v07zq4n5w9r6t1y2pc"],
        options: [
          OWN_ID,
          { flags: "--session-id <string>", description: "session, as the list has it", required: true },
        ],
      },
      {
        method: "DELETE",
        path: [...SESSIONS, { option: "sessionId" }],
        expect: 204,
        done: "Session ended successfully",
      },
    ),
  ],
};

const ROLE_EXAMPLE = "--principal-id arn:aws:sts::123456789012:assumed-role/readers";
const PRINCIPALS = ["auth", "users", SELF, "external", "principals"] as const;
const BY_PRINCIPAL = { principalId: "principalId" };
const ROLE_COLUMNS: readonly Column[] = [
  { heading: "Principal ID", name: "principal_id", fields: ["id"] },
  { heading: "User ID", name: "user_id", fields: ["user_id"] },
];

const AWS_IAM: GroupSpec = {
  name: "aws-iam",
  description: "Manages the AWS IAM roles that users log in with.",
  commands: [
    changeCommand(
      {
        name: "attach",
        description: "Attaches a role to a user.",
        examples: [`--id bob ${ROLE_EXAMPLE}`],
        options: [OWN_ID, PRINCIPAL],
      },
      {
        method: "POST",
        path: PRINCIPALS,
        query: BY_PRINCIPAL,
        body: {},
        expect: 201,
        done: "IAM role attached successfully",
      },
    ),
    changeCommand(
      {
        name: "detach",
        description: "Detaches a role from a user.",
        examples: [`--id bob ${ROLE_EXAMPLE}`],
        options: [OWN_ID, PRINCIPAL],
      },
      {
        method: "DELETE",
        path: PRINCIPALS,
        query: BY_PRINCIPAL,
        expect: 204,
        done: "IAM role detached successfully",
      },
    ),
    listCommand(
      {
        name: "list",
        description: "Lists the roles of a user.",
        examples: ["", "--id bob"],
        options: [OWN_ID],
      },
      { path: [...PRINCIPALS, "ls"], columns: ROLE_COLUMNS },
    ),
    showCommand(
      {
        name: "lookup",
        description: "Finds the user of a role.",
        examples: [ROLE_EXAMPLE],
        options: [PRINCIPAL],
      },
      { path: ["auth", "external", "principals"], query: BY_PRINCIPAL, columns: ROLE_COLUMNS },
    ),
  ],
};

/** Users, their credentials, groups, policies and roles. */
export const USERS_GROUP: GroupSpec = {
  name: "users",
  description: "Manages users.",
  commands: [
    LIST,
    ...entityCommands({ ...USER, columns: COLUMNS }).filter(({ name }) => name !== "list"),
    CREDENTIALS,
    SESSION_COMMANDS,
    changeCommand(
      {
        name: "end-sessions",
        description:
          "Ends all sessions of a user, and access keys issued for tokens; other keys and the password stay.",
        examples: ["--id bob"],
        options: [USER_ID],
      },
      { method: "DELETE", path: SESSIONS, expect: 204, done: "Sessions ended successfully" },
    ),
    changeCommand(
      {
        name: "reset-password",
        description: "Sends a user a mail with a link for a new password.",
        examples: ["--id bob"],
        options: [USER_ID],
      },
      {
        method: "POST",
        path: ["auth", "users", { option: "id" }, "password", "reset"],
        expect: 204,
        done: "Mail sent successfully",
      },
    ),
    {
      name: "groups",
      description: "Shows the groups of users.",
      commands: [
        listCommand(
          {
            name: "list",
            description: "Lists the groups of a user.",
            examples: ["--id bob"],
            options: [USER_ID],
          },
          {
            path: ["auth", "users", { option: "id" }, "groups"],
            columns: [{ heading: "Group ID", name: "id", fields: ["id"] }, DATE],
          },
        ),
      ],
    },
    {
      name: "policies",
      description: "Manages the policies of users.",
      commands: attachmentCommands(USER, [
        {
          flags: "--effective",
          description: "all distinct policies, those of the user's groups included",
        },
      ]),
    },
    AWS_IAM,
  ],
};
