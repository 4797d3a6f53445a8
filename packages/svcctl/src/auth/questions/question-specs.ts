/** `svcctl auth who-can`, `what-can`, `plan` and `simulate`, as data (spec/decision-api §3). */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { CommandSpec } from "../../command.ts";
import { JSON_OUTPUT, PAGING } from "../auth-options.ts";

export const ASKED_USER: OptionSpec = {
  flags: "--user <string>",
  description: "user name (default: current user)",
  completes: "user",
};
export const ACTION: OptionSpec = {
  flags: "--action <string>",
  description: "action, such as fs:ReadObject",
  required: true,
  completes: "action",
};
export const RESOURCE: OptionSpec = {
  flags: "--resource <string>",
  description: "ARN of the resource",
  required: true,
};
export const CONTEXT: OptionSpec = {
  flags: "--context <field=value>",
  description: "condition field, such as SourceIp=10.0.0.1 (repeatable)",
  kind: "repeated",
};

const PAGES = PAGING.filter(({ flags }) => !flags.startsWith("--prefix"));
const OBJECT = "arn:svc:fs:::repository/data/object/a.csv";

/** Questions about what is in force, or would be. */
export const QUESTION_COMMANDS: readonly CommandSpec[] = [
  {
    name: "who-can",
    description: "Lists the users who may do something, each with the statement that allows it.",
    examples: [
      `--action fs:ReadObject --resource ${OBJECT}`,
      `--action fs:ReadObject --resource ${OBJECT} --context SourceIp=10.0.0.1 --all -o csv`,
    ],
    options: [ACTION, RESOURCE, CONTEXT, ...PAGES],
    load: async () => (await import("./searches.ts")).whoCan,
  },
  {
    name: "what-can",
    description: "Lists the actions that a user may do on a resource.",
    examples: [`--resource ${OBJECT}`, `--user bob --resource ${OBJECT} --all -o json`],
    options: [ASKED_USER, RESOURCE, CONTEXT, ...PAGES],
    load: async () => (await import("./searches.ts")).whatCan,
  },
  {
    name: "plan",
    description: "Shows the resources on which a user may do something, as patterns.",
    examples: [
      "--action fs:ReadObject",
      "--user bob --action fs:ReadObject --context SourceIp=10.0.0.1 -o json",
    ],
    options: [
      ASKED_USER,
      ACTION,
      { flags: "--type <name>", description: "only resources of this type" },
      CONTEXT,
      JSON_OUTPUT,
    ],
    load: async () => (await import("./resource-plan.ts")).resourcePlan,
  },
  {
    name: "simulate",
    description:
      "Asks what would be decided from other policies, which nothing stores: exit code 0 for yes, 3 for no.",
    examples: [
      `--user bob --action fs:ReadObject --resource ${OBJECT} --replace proposed.yaml --explain`,
      `--user bob --action fs:ReadObject --resource ${OBJECT} --remove ReadData`,
      `--user bob --action fs:ReadObject --resource ${OBJECT} --policies policies`,
    ],
    options: [
      ASKED_USER,
      ACTION,
      RESOURCE,
      {
        flags: "--policies <files>",
        description: "decide from the policies of these files alone (repeatable, or with commas)",
        kind: "list",
      },
      {
        flags: "--replace <files>",
        description: "the user's policies, with those of these files in place of, or beside, the same names",
        kind: "list",
      },
      {
        flags: "--remove <names>",
        description: "the user's policies without these (repeatable, or with commas)",
        kind: "list",
        completes: "policy",
      },
      CONTEXT,
      { flags: "--explain", description: "say why" },
      JSON_OUTPUT,
    ],
    load: async () => (await import("./simulate.ts")).simulate,
  },
];
