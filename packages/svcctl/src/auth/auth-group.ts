/** `svcctl auth`: users, groups, policies, and what somebody may do (spec/management-cli §3). */

import type { GroupSpec } from "../command.ts";
import { JSON_OUTPUT } from "./auth-options.ts";
import { pastCommand } from "./auth-specs.ts";
import { GROUPS_GROUP } from "./groups/groups-group.ts";
import { POLICIES_GROUP } from "./policies/policies-group.ts";
import { ACTION, ASKED_USER, CONTEXT, QUESTION_COMMANDS, RESOURCE } from "./questions/question-specs.ts";
import { USERS_GROUP } from "./users/users-group.ts";

/** All `auth` commands. */
export const AUTH_GROUP: GroupSpec = {
  name: "auth",
  description: "Manages authentication and authorization: users, groups and policies.",
  commands: [
    GROUPS_GROUP,
    POLICIES_GROUP,
    USERS_GROUP,
    pastCommand(
      {
        name: "history",
        description: "Lists who changed a user, a group or a policy, the newest first.",
        examples: ["--about user:alice", "--about policy:ReadData --all"],
        options: [
          {
            flags: "--about <kind:name>",
            description: "user:NAME, group:NAME or policy:NAME",
            required: true,
          },
        ],
      },
      {
        path: ["auth", "history"],
        query: { about: "about" },
        columns: [{ heading: "Touched", name: "touched", fields: ["touched"] }],
      },
    ),
    {
      name: "whoami",
      description:
        "Shows who is signed in, who vouched, where its groups came from, and when the session ends.",
      examples: ["", "-o json"],
      options: [JSON_OUTPUT],
      load: async () => (await import("./whoami.ts")).showSession,
    },
    {
      name: "can",
      description: "Asks whether a user may do something: exit code 0 for yes, 3 for no.",
      examples: [
        "--action fs:ReadObject --resource arn:svc:fs:::repository/data/object/a.csv",
        "--user bob --action fs:ReadObject --resource arn:svc:fs:::repository/data/object/a.csv --explain",
        "--user bob --action fs:ReadObject --resource arn:svc:fs:::repository/data/object/a.csv --context SourceIp=10.0.0.1",
      ],
      options: [
        ASKED_USER,
        ACTION,
        RESOURCE,
        CONTEXT,
        { flags: "--explain", description: "say why" },
        JSON_OUTPUT,
      ],
      load: async () => (await import("./can.ts")).can,
    },
    ...QUESTION_COMMANDS,
  ],
};
