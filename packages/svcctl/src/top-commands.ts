/** The commands beside the groups, as data. */

import type { CommandSpec } from "./command.ts";

const JSON_OPTION = { flags: "--json", description: "print JSON" };

/** `config`, `login`, `logout`, `doctor`, `whoami`, `version`, `docs`. */
export const TOP_COMMANDS: readonly CommandSpec[] = [
  {
    name: "config",
    description: "Creates or updates the configuration file.",
    examples: [
      "",
      "--config other-server.yaml",
      "--access-key-id AKIAJIOSFODNN7EXAMPQ --endpoint-url https://data.example.com --secret-access-key-stdin < secret",
    ],
    options: [
      { flags: "--access-key-id <string>", description: "access key id, in place of the question" },
      { flags: "--endpoint-url <url>", description: "server endpoint URL, in place of the question" },
      {
        flags: "--secret-access-key-stdin",
        description: "read only the secret access key from standard input",
      },
      JSON_OPTION,
    ],
    load: async () => (await import("./settings/config-command.ts")).configure,
  },
  {
    name: "login",
    description: "Signs in through a browser, in place of an access key.",
    examples: ["", "--endpoint-url https://authz.example.com"],
    options: [
      {
        flags: "--endpoint-url <url>",
        description: "server endpoint URL, which the configuration file then holds",
      },
      JSON_OPTION,
    ],
    load: async () => (await import("./login/login-commands.ts")).login,
  },
  {
    name: "logout",
    description: "Ends the sign-in of `svcctl login`.",
    examples: [""],
    options: [JSON_OPTION],
    load: async () => (await import("./login/login-commands.ts")).logout,
  },
  {
    name: "doctor",
    description: "Diagnoses the configuration.",
    examples: ["", "--verbose", "--exit-code"],
    options: [
      { flags: "--exit-code", description: "exit with 1 after any finding, not only without credentials" },
      JSON_OPTION,
    ],
    load: async () => (await import("./doctor.ts")).diagnose,
  },
  {
    name: "whoami",
    description: "Prints the user whose access key is in use.",
    examples: ["", "-o json"],
    options: [JSON_OPTION],
    load: async () => (await import("./whoami.ts")).whoami,
  },
  {
    name: "identity",
    description: "Shows the user whose access key is in use.",
    examples: ["", "-o json"],
    options: [JSON_OPTION],
    load: async () => (await import("./identity.ts")).showIdentity,
  },
  {
    name: "version",
    description: "Prints the versions of svcctl and of the server.",
    examples: ["", "-o json"],
    options: [JSON_OPTION],
    load: async () => (await import("./version.ts")).showVersion,
  },
  {
    name: "docs",
    description: "Writes the reference of all commands in Markdown.",
    examples: ["", "svcctl-reference.md"],
    arguments: "[outfile]",
    options: [{ flags: "--json", description: "print the commands as JSON" }],
    load: async () => (await import("./shell/docs-command.ts")).writeReference,
  },
];
