/**
 * The allowed imports: the table of docs/architecture.md as data. Each package has its part beside its sources; the part
 * of the service is here. An entry is a room (everything in it), or a path with its ending (that file alone). A room may
 * always import itself and nothing else unnamed.
 */
import { CLIENT_ROOMS } from "../../packages/client/import-table.ts";
import { COMMANDS_ROOMS } from "../../packages/commands/import-table.ts";
import { CONSOLE_PACKAGES, CONSOLE_ROOMS } from "../../packages/console/import-table.ts";
import { CONTRACT_ROOMS } from "../../packages/contract/import-table.ts";
import { POLICY_ROOMS } from "../../packages/policy/import-table.ts";
import { SVCCTL_ROOMS } from "../../packages/svcctl/import-table.ts";
import { METASTORE_ROOMS } from "../../packages/svcctl-metastore/import-table.ts";
import { TESTING_ROOMS } from "../../packages/testing/import-table.ts";
import type { Rooms } from "./row.ts";
import { SERVICE_ROOMS } from "./service-rooms.ts";
/**
 * A room is the first folder (or file without ending) below `src`; each API of `api` is one of its own. In a package it
 * stands behind the name of the package: `policy/model`.
 */
export const IMPORT_TABLE: Rooms = {
  ...POLICY_ROOMS,
  ...COMMANDS_ROOMS,
  ...CLIENT_ROOMS,
  ...SVCCTL_ROOMS,
  ...METASTORE_ROOMS,
  ...CONSOLE_ROOMS,
  ...CONTRACT_ROOMS,
  ...TESTING_ROOMS,
  ...SERVICE_ROOMS,
};

/** Backends of the store: none imports another, and each driver is known to its own backend alone. */
export const BACKENDS: Readonly<Record<string, readonly string[]>> = {
  memory: [],
  local: ["lmdb"],
  postgres: ["pg"],
  dynamodb: ["@aws-sdk/client-dynamodb"],
  cosmosdb: ["@azure/cosmos"],
};

/** Rooms that a build runs or bundles: all packages that they may know, which nobody installs with the service. */
export const BUNDLED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  console: CONSOLE_PACKAGES,
  manual: ["markdown-it"],
};

/** Packages that one room alone may know. */
export const PACKAGE_OWNERS: Readonly<Record<string, string>> = {
  "fast-xml-parser": "identity",
  ldapts: "sign-in",
  nodemailer: "mail",
  "markdown-it": "manual",
  "@grpc/grpc-js": "listeners",
  "@grpc/proto-loader": "listeners",
  "@opentelemetry/api": "tracing",
  "@opentelemetry/core": "tracing",
  "@opentelemetry/exporter-trace-otlp-proto": "tracing",
  "@opentelemetry/resources": "tracing",
  "@opentelemetry/sdk-trace": "tracing",
};
