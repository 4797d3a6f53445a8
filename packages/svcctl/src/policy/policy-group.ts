/** `svcctl policy`: work on policies offline, without a server (docs/policy-work.md). */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { GroupSpec } from "../command.ts";
import { templateHelp } from "./template-lines.ts";
import { PARAM, PARTITION } from "./template-options.ts";

const JSON_OUTPUT: OptionSpec = { flags: "--json", description: "print JSON" };
/** All `policy` commands. */
export const POLICY_GROUP: GroupSpec = {
  name: "policy",
  page: "policy-work.md",
  description: "Works on policies offline: checks, tests, explains, compares and formats them.",
  commands: [
    {
      name: "lint",
      description:
        "Checks policies and data sets for errors that a write refuses, and for what is almost certainly a mistake.",
      examples: ["policies/*.json", "policies --strict --format github", "policies --allow forged-address"],
      arguments: "<files...>",
      options: [
        { flags: "--strict", description: "fail on warnings as well" },
        { flags: "--max-warnings <int>", description: "fail when there are more warnings", kind: "integer" },
        {
          flags: "--allow <rule>",
          description: "leave out the findings of a rule of docs/lint-rules.md (repeatable)",
          kind: "repeated",
        },
        {
          flags: "--format <format>",
          description: "text, json, sarif (SARIF 2.1.0), or github (annotations of GitHub Actions)",
          values: ["text", "json", "sarif", "github"],
          closed: true,
        },
        {
          flags: "--service <name>",
          description: "another service that actions may name (repeatable)",
          kind: "repeated",
        },
        JSON_OUTPUT,
        { flags: "--sarif", description: "as --format sarif" },
        PARTITION,
      ],
      load: async () => (await import("./lint-command.ts")).lint,
    },
    {
      name: "test",
      description: "Runs policy tests: the *.test.yaml, .yml and .json files below folders.",
      examples: ["policy-tests --min-coverage 100", "policy-tests --watch"],
      arguments: "<folders...>",
      options: [
        {
          flags: "--min-coverage <percent>",
          description: "fail if a smaller share of the statements is tested",
          kind: "integer",
        },
        { flags: "--coverage", description: "list how often each statement decided" },
        { flags: "--junit <file>", description: "write a JUnit report" },
        { flags: "--watch", description: "run again whenever a file changes" },
        JSON_OUTPUT,
        PARTITION,
      ],
      load: async () => (await import("./test-command.ts")).test,
    },
    {
      name: "explain",
      description: "Decides a request offline and says why: exit code 0 for allowed, 3 for refused.",
      examples: [
        "--policies policies --user bob --action fs:ReadObject --resource arn:svc:fs:::repository/data/object/a.csv",
      ],
      options: [
        {
          flags: "--policies <files>",
          description: "files with policies, or data sets (repeatable, or with commas)",
          kind: "list",
          required: true,
        },
        { flags: "--user <string>", description: "user name", required: true },
        {
          flags: "--action <string>",
          description: "action, such as fs:ReadObject",
          required: true,
          completes: "action",
        },
        { flags: "--resource <string>", description: "ARN of the resource", required: true },
        {
          flags: "--context <field=value>",
          description: "condition field, such as SourceIp=10.0.0.1 (repeatable)",
          kind: "repeated",
        },
        JSON_OUTPUT,
        PARTITION,
      ],
      load: async () => (await import("./explain-command.ts")).explainRequest,
    },
    {
      name: "diff",
      description:
        "Compares what policies allow: exit code 1 when access widens, 4 when not everything is shown.",
      examples: ["policies proposed", "policies proposed --json"],
      arguments: "<old> <new>",
      options: [
        {
          flags: "--limit <int>",
          description: "largest number of lines to report in each direction and comparison",
          kind: "integer",
          default: 1_000,
        },
        JSON_OUTPUT,
        PARTITION,
      ],
      load: async () => (await import("./diff-command.ts")).diff,
    },
    {
      name: "replay",
      description:
        "Decides recorded requests again under other policies, and prints what changes: exit code 1 when something does.",
      examples: [
        "--log decision-log --from exported --to proposed",
        "--log decision-log --from exported --to proposed --allow-narrowing --markdown",
        "--server --since 30d --from 1204 --to proposed",
      ],
      page: "decision-log.md",
      options: [
        { flags: "--log <dir>", description: "folder of a decision log" },
        { flags: "--server", description: "the records that the server of the configuration has" },
        { flags: "--since <time>", description: "with --server: RFC 3339 time, or an age such as 2h, 30d" },
        { flags: "--until <time>", description: "with --server: RFC 3339 time, or an age such as 2h, 30d" },
        {
          flags: "--from <path>",
          description: "data set in force: file, folder or glob, or a revision of the server's directory",
          required: true,
        },
        {
          flags: "--to <path>",
          description: "data set to be compared: file, folder or glob, or a revision",
          required: true,
        },
        { flags: "--allow-narrowing", description: "exit code 0 also when requests would be refused" },
        { flags: "--allow-widening", description: "exit code 0 also when requests would be allowed" },
        {
          flags: "--examples <int>",
          description: "largest number of examples of a change",
          kind: "integer",
          default: 3,
        },
        { flags: "--markdown", description: "print a table for a review" },
        JSON_OUTPUT,
        PARTITION,
      ],
      load: async () => (await import("./replay/replay-command.ts")).replay,
    },
    {
      name: "template",
      description:
        "Prints the policy of a template with its parameters filled in. Without a name it lists the templates.",
      examples: ["", "repository-read-write --param repository=data"],
      arguments: "[name]",
      options: [PARAM, JSON_OUTPUT, PARTITION],
      helpLines: templateHelp,
      load: async () => (await import("./template-command.ts")).template,
    },
    {
      name: "lsp",
      description:
        "Serves editors: findings, completion and hover for policies and data sets, by the Language Server Protocol over standard input and output.",
      examples: ["", "--stdio"],
      options: [
        { flags: "--stdio", description: "the only way of speaking; editors may pass it" },
        PARTITION,
      ],
      load: async () => (await import("./lsp/lsp-command.ts")).serveEditor,
    },
    {
      name: "fmt",
      description: "Formats policies: order of fields, one action per line. Comments in YAML are kept.",
      examples: ["policies/*.json --check", "policies/*.json --write"],
      arguments: "<files...>",
      options: [
        { flags: "--write", description: "change the files (default: print)" },
        { flags: "--check", description: "change nothing; exit code 1 if a file would change" },
      ],
      load: async () => (await import("./fmt-command.ts")).format,
    },
  ],
};
