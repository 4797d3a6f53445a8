/** The rooms of the service, and what each may import. */

import type { Rooms } from "./row.ts";

const EVERYTHING_COMPOSED = [
  "config",
  "policy/model",
  "policy/errors",
  "policy/ipv6",
  "policy/records",
  "policy/json-text",
  "commands",
  "threads",
  "policy/engine",
  "policy/catalog",
  "store",
  "journal",
  "workers",
  "directory",
  "cache",
  "schedule",
  "request-map",
  "identity",
  "sign-in",
  "exchange",
  "decisions",
  "datasets",
  "bootstrap",
  "mail",
  "mirroring",
  "observe",
  "http",
  "api",
  "api/rest",
  "api/decisions",
  "api/data-server",
  "api/changes",
  "api/management",
  "api/forward-auth",
  "api/scim",
  "api/sts",
  "api/authentication",
  "api/ext-authz",
  "api/streaming",
  "listeners",
  "policy/analysis",
  "insight/access-review",
  "insight/impact",
  "insight/overview",
  "usage",
  "help",
  "manual",
  "decision-log",
  "policy/source-files",
  "tracing",
  "bounded-body",
  "compact",
];

/** The rooms of the service. */
export const SERVICE_ROOMS: Rooms = {
  // Long work in threads of its own: comparisons of policies, checks of drafts.
  threads: {
    may: [
      "policy/analysis",
      "policy/engine",
      "policy/catalog",
      "policy/model",
      "policy/errors",
      "policy/source-files",
    ],
  },
  config: {
    may: [
      "policy/source-files",
      "policy/model/closest-name.ts",
      "policy/model/names.ts",
      "policy/errors",
      "policy/ipv6",
      "commands",
    ],
  },
  schedule: { may: ["policy/errors"] },
  // Reads once what comes again and again.
  "remember-last": { may: [] },
  // Reads answers of other servers.
  "bounded-body": { may: [] },
  cache: { may: ["compact", "policy/errors"] },
  // Much in little memory.
  compact: { may: ["policy/json-text", "policy/errors"] },
  store: { may: ["compact", "schedule", "policy/model", "policy/errors", "commands", "remember-last"] },
  workers: { may: ["store", "policy/errors"] },
  journal: { may: ["store", "schedule", "policy/model", "policy/errors"] },
  directory: {
    may: [
      "policy/model",
      "policy/errors",
      "policy/json-text",
      "policy/catalog",
      "cache",
      "compact",
      "schedule",
      "store/port.ts",
      "store/expectation.ts",
      "store/read-record.ts",
      "store/every-record.ts",
      "store/listeners.ts",
      "store/with-calls.ts",
    ],
  },
  "request-map": { may: ["policy/catalog", "policy/model", "policy/errors", "remember-last"] },
  identity: {
    may: [
      "directory",
      "cache",
      "schedule",
      "policy/model",
      "policy/errors",
      "policy/json-text",
      "remember-last",
      "bounded-body",
    ],
  },
  // What goes to a data server that knows one key, in place of a user's credential.
  exchange: {
    may: ["identity", "request-map", "policy/catalog", "policy/model", "remember-last"],
    types: ["decisions"],
  },
  // With an identity provider, in a browser.
  "sign-in": {
    may: ["directory", "identity", "policy/engine", "policy/model", "policy/errors", "bounded-body"],
  },
  decisions: {
    may: [
      "directory",
      "cache",
      "compact",
      "schedule",
      "request-map",
      "policy/engine",
      "policy/catalog",
      "policy/model",
      "policy/errors",
      // Files of a shadow candidate.
      "policy/analysis",
      "policy/source-files",
    ],
  },
  // The log of decisions: declared by `decisions`, and read by the APIs and the programs.
  "decision-log": {
    may: [
      "policy/engine",
      "policy/model",
      "policy/errors",
      "policy/json-text",
      "commands",
      "schedule",
      "policy/records",
      "remember-last",
      "threads",
    ],
    types: ["decisions"],
  },
  // Counts of use: who used which statement last. It closes its files as the log of decisions does.
  usage: {
    may: ["policy/engine", "policy/errors", "policy/json-text", "decision-log"],
    types: ["decisions", "policy/model"],
  },
  // What a change of policies would change for whom.
  "insight/impact": {
    may: ["policy/analysis", "directory", "schedule", "policy/model", "policy/errors", "threads"],
  },
  // The state of a node and its directory at a glance.
  "insight/overview": {
    may: ["policy/analysis", "directory", "schedule", "policy/errors", "threads"],
    types: ["decisions", "policy/model"],
  },
  mail: {
    may: [
      "policy/model",
      "policy/errors",
      "store/port.ts",
      "store/expectation.ts",
      "store/read-record.ts",
      "policy/html",
    ],
    types: ["directory/directory.ts"],
  },
  // Copies the log and the branches of a repository to a data server elsewhere.
  mirroring: {
    may: [
      "store/port.ts",
      "store/expectation.ts",
      "store/every-record.ts",
      "schedule",
      "policy/engine",
      "policy/errors",
      "policy/json-text",
      "policy/schema-library",
      "commands",
    ],
  },
  observe: {
    may: ["policy/model", "policy/errors", "policy/json-text", "commands"],
    types: [
      "store",
      "journal",
      "directory",
      "identity",
      "decisions",
      "decision-log",
      "datasets",
      "http",
      "api/decisions",
      "listeners",
      "mail",
      "mirroring",
    ],
  },
  // Spans around requests and decisions, by the SDK of OpenTelemetry.
  tracing: { may: ["policy/model", "policy/errors"], types: ["http", "decisions"] },
  http: {
    may: [
      "schedule",
      "policy/errors",
      "policy/json-text",
      "policy/ipv6",
      "policy/schema-library",
      "remember-last",
    ],
  },
  // Who calls the service listener: known to the APIs of that listener.
  api: { may: ["http", "policy/errors"] },
  "api/rest": { may: ["http", "schedule", "directory", "policy/model", "policy/errors"] },
  "api/decisions": {
    may: ["api", "http", "schedule", "decisions", "request-map", "policy/model", "policy/errors"],
  },
  "api/data-server": {
    may: ["api", "api/rest", "http", "directory", "decisions", "policy/model", "policy/errors"],
  },
  "api/changes": { may: ["api", "http", "schedule", "policy/model", "policy/errors"] },
  "api/management": {
    may: [
      "api/rest",
      "api/decisions",
      "http",
      "directory",
      "decisions",
      "insight/impact",
      "insight/overview",
      "request-map",
      "identity",
      "sign-in",
      "schedule",
      "policy/model",
      "policy/errors",
      "policy/html",
    ],
    // Data sets that are applied to a running service; mirrors.
    types: ["datasets", "mirroring"],
  },
  // Renders the manual: when a package is built, and in a clone when it is asked for.
  manual: { may: ["policy/html"], types: ["http"] },
  // The manual, as pages below /help.
  help: { may: ["http", "policy/html", "schedule", "threads", "manual"] },
  // What both REST APIs have, once: with what each of them does otherwise.
  "api/resources": {
    may: [
      "api/rest",
      "api/data-server",
      "api/management",
      "http",
      "directory",
      "policy/model",
      "policy/errors",
    ],
  },
  "api/scim": { may: ["api", "api/rest", "http", "schedule", "directory", "policy/model", "policy/errors"] },
  // Identities that a data server asks for.
  "api/authentication": { may: ["api/rest", "http", "sign-in", "policy/errors"] },
  // Tokens of identity providers for access keys that expire.
  "api/sts": {
    may: ["api/rest", "http", "directory", "identity", "policy/model", "policy/errors", "policy/html"],
  },
  "api/forward-auth": {
    may: ["http", "decisions", "request-map", "identity", "policy/model", "policy/errors", "policy/html"],
    types: ["api/decisions", "exchange"],
  },
  // Requests that go through this service to a data server that knows one key.
  "api/streaming": {
    may: [
      "http",
      "api/forward-auth",
      "exchange",
      "policy/errors",
      "policy/html",
      "policy/json-text",
      "commands/returned-memory.ts",
      "bounded-body",
    ],
    types: ["api/decisions", "identity"],
  },
  // Envoy asks over gRPC what proxies ask over HTTP.
  "api/ext-authz": {
    may: ["api", "http", "api/forward-auth", "identity/secret-comparison.ts", "policy/errors"],
    types: ["decisions"],
  },
  listeners: {
    may: [
      "api/ext-authz",
      "api/streaming",
      "http",
      "api",
      "api/rest",
      "api/decisions",
      "api/data-server",
      "api/changes",
      "api/management",
      "api/resources",
      "api/scim",
      "api/sts",
      "api/authentication",
      "api/forward-auth",
      "decisions",
      "identity/login-claims.ts",
      "identity/token-parts.ts",
      "config/read-fault.ts",
      "policy/errors",
    ],
    types: ["config/table.ts"],
  },
  "policy/source-files": { may: ["policy/model", "policy/errors", "policy/json-text", "policy/decimal"] },
  datasets: {
    may: [
      "policy/source-files",
      "policy/json-text",
      "directory",
      "compact",
      "schedule",
      "policy/catalog",
      "policy/model",
      "policy/errors",
      "remember-last",
    ],
  },
  bootstrap: { may: ["directory", "policy/catalog", "policy/model", "policy/errors"] },
  // Learns from the use of access: over parts of one state of the directory, or in a thread over the whole as a value.
  "insight/access-review": {
    may: [
      "usage",
      "policy/analysis",
      "decision-log",
      "policy/engine",
      "policy/catalog",
      "request-map",
      "bootstrap/acl-policies.ts",
      "policy/html",
      "policy/model",
      "policy/errors",
      "policy/json-text",
      "policy/records",
      "threads",
      "schedule",
    ],
    types: ["directory", "store/port.ts"],
  },
  // The commands of svc-authorizer.
  cli: {
    may: [
      "compose",
      "compact",
      "config",
      "directory",
      "datasets",
      "bootstrap",
      "decision-log",
      "mirroring",
      "commands",
      "policy/model",
      "policy/errors",
      "policy/source-files",
      "policy/catalog",
      "policy/records",
      "policy/analysis",
    ],
  },
  compose: { may: EVERYTHING_COMPOSED },
  "worker-main": { may: ["compose"] },
  main: { may: ["cli", "commands", "policy/errors"] },
};
