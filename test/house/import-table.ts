/**
 * The allowed imports below `src`: the table of docs/architecture.md as data. An entry is a room (everything in it), or
 * a path with its ending (that file alone). A room may always import itself and nothing else unnamed.
 */
export interface Row {
  /** Rooms and files that may be imported, values and types. */
  readonly may: readonly string[];
  /** Rooms and files that may be imported with `import type` only: ports that a neighbour declares. */
  readonly types?: readonly string[];
}

const EVERYTHING_COMPOSED = [
  "config",
  "model",
  "errors",
  "json-text",
  "make-folder",
  "engine",
  "catalog",
  "store",
  "journal",
  "workers",
  "directory",
  "cache",
  "schedule",
  "request-map",
  "identity",
  "decisions",
  "datasets",
  "bootstrap",
  "mail",
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
  "api/ext-authz",
  "listeners",
  "analysis",
  "access",
  "impact",
  "overview",
  "help",
  "decision-log",
  "source-files",
  "tracing",
];

const SVCCTL = [
  "cli",
  "client",
  "config",
  "model",
  "errors",
  "make-folder",
  "engine",
  "catalog",
  "analysis",
  "access",
  "decision-log",
  "source-files",
];

/**
 * A room is the first folder (or file without ending) below `src`; each program of `cli` and each API of `api` is one
 * of its own.
 */
export const IMPORT_TABLE: Readonly<Record<string, Row>> = {
  errors: { may: [] },
  "make-folder": { may: [] },
  // Numbers as the texts that conditions compare.
  decimal: { may: [] },
  // Reads JSON whose names and numbers others chose.
  "json-text": { may: ["decimal"] },
  // Reads IPv6 addresses, which several rooms compare.
  ipv6: { may: [] },
  model: { may: ["errors", "json-text", "ipv6", "decimal"] },
  config: { may: ["source-files", "model/closest-name.ts", "errors", "ipv6"] },
  schedule: { may: ["errors"] },
  cache: { may: ["errors"] },
  engine: { may: ["model", "errors"] },
  catalog: { may: ["model", "errors"] },
  store: { may: ["schedule", "model", "errors", "make-folder"] },
  workers: { may: ["store", "errors"] },
  journal: { may: ["store", "schedule", "model", "errors"] },
  directory: {
    may: [
      "model",
      "errors",
      "json-text",
      "catalog",
      "cache",
      "schedule",
      "store/port.ts",
      "store/listeners.ts",
    ],
  },
  "request-map": { may: ["catalog", "model", "errors"] },
  identity: { may: ["directory", "cache", "schedule", "model", "errors", "json-text"] },
  decisions: {
    may: ["directory", "cache", "schedule", "request-map", "engine", "catalog", "model", "errors"],
  },
  // The log of decisions: declared by `decisions`, and read by the APIs and the programs.
  "decision-log": {
    may: ["engine", "model", "errors", "json-text", "make-folder", "schedule"],
    types: ["decisions"],
  },
  // What a change of policies would change for whom.
  impact: { may: ["analysis", "directory", "schedule", "model", "errors"] },
  // The state of a node and its directory at a glance.
  overview: { may: ["analysis", "directory", "schedule", "errors"], types: ["decisions", "model"] },
  mail: {
    may: ["model", "errors", "store/port.ts", "http/pages/html.ts"],
    types: ["directory/directory.ts"],
  },
  observe: {
    may: ["model", "errors", "json-text", "make-folder"],
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
    ],
  },
  // Spans around requests and decisions, by the SDK of OpenTelemetry.
  tracing: { may: ["model", "errors"], types: ["http", "decisions"] },
  http: { may: ["schedule", "errors", "json-text", "ipv6"] },
  // Who calls the service listener: known to the APIs of that listener.
  api: { may: ["http", "errors"] },
  "api/rest": { may: ["http", "schedule", "directory", "model", "errors"] },
  "api/decisions": {
    may: ["api", "http", "schedule", "decisions", "request-map", "model", "errors"],
  },
  "api/data-server": { may: ["api", "api/rest", "http", "directory", "decisions", "model", "errors"] },
  "api/changes": { may: ["api", "http", "schedule", "model", "errors"] },
  "api/management": {
    may: [
      "api/rest",
      "api/decisions",
      "http",
      "directory",
      "decisions",
      "impact",
      "overview",
      "request-map",
      "identity",
      "schedule",
      "model",
      "errors",
    ],
    // Data sets that are applied to a running service.
    types: ["datasets"],
  },
  // The manual, as pages below /help.
  help: { may: ["http"] },
  // What both REST APIs have, once: with what each of them does otherwise.
  "api/resources": {
    may: ["api/rest", "api/data-server", "api/management", "http", "directory", "model", "errors"],
  },
  "api/scim": { may: ["api", "api/rest", "http", "schedule", "directory", "model", "errors"] },
  "api/forward-auth": {
    may: ["http", "decisions", "request-map", "identity", "model", "errors"],
    types: ["api/decisions"],
  },
  // Envoy asks over gRPC what proxies ask over HTTP.
  "api/ext-authz": { may: ["api", "http", "api/forward-auth", "errors"], types: ["decisions"] },
  listeners: {
    may: [
      "api/ext-authz",
      "http",
      "api",
      "api/rest",
      "api/decisions",
      "api/data-server",
      "api/changes",
      "api/management",
      "api/resources",
      "api/scim",
      "api/forward-auth",
      "decisions",
      "identity/login-claims.ts",
      "identity/token-parts.ts",
      "errors",
    ],
  },
  // The browser application calls the management API alone, as anybody could.
  console: { may: ["client/revision.ts"] },
  client: { may: [], types: ["model"] },
  // A decision point in another process: the engine, and the pure parts of decisions around it.
  "client/embedded": {
    may: [
      "client",
      "engine",
      "model",
      "errors",
      "catalog/partition.ts",
      "decisions/attached-together.ts",
      "decisions/deny-all.ts",
      "decisions/registered-properties.ts",
      "decisions/check/condition-fields.ts",
    ],
    types: ["directory/directory.ts", "datasets/dataset.ts"],
  },
  "source-files": { may: ["model", "errors", "json-text", "decimal"] },
  datasets: { may: ["source-files", "directory", "schedule", "catalog", "model", "errors"] },
  bootstrap: { may: ["directory", "catalog", "model", "errors"] },
  // Offline decisions combine registered properties as the service does.
  analysis: {
    may: [
      "source-files",
      "decisions/registered-properties.ts",
      "engine",
      "catalog",
      "model",
      "errors",
      "json-text",
    ],
  },
  // Learns from the use of access: over parts of one state of the directory, or in a thread over the whole as a value.
  access: {
    may: [
      "analysis",
      "decision-log",
      "engine",
      "catalog",
      "request-map",
      "bootstrap/acl-policies.ts",
      "http/pages/html.ts",
      "model",
      "errors",
      "json-text",
    ],
  },
  // What both programs share: exit codes, the edge to the process.
  cli: { may: ["config", "model", "errors"] },
  "cli/svcctl": { may: SVCCTL },
  "cli/authorizer": {
    may: [
      ...SVCCTL,
      "compose",
      "directory",
      "datasets",
      "bootstrap",
      "decision-log",
      // The first administrator's key goes straight into svcctl's configuration file.
      "cli/svcctl/settings/settings-file.ts",
      "cli/svcctl/settings/write-settings-file.ts",
    ],
  },
  testing: { may: ["compose", "config", "client", "datasets", "directory", "errors"] },
  compose: { may: EVERYTHING_COMPOSED },
  "worker-main": { may: ["compose"] },
  main: { may: ["cli", "cli/authorizer", "errors"] },
};

/** Backends of the store: none imports another, and each driver is known to its own backend alone. */
export const BACKENDS: Readonly<Record<string, readonly string[]>> = {
  memory: [],
  local: ["lmdb"],
  postgres: ["pg"],
  dynamodb: ["@aws-sdk/client-dynamodb"],
  cosmosdb: ["@azure/cosmos"],
};

/** Rooms that a bundler builds: all packages that they may know, which nobody installs with the service. */
export const BUNDLED_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  console: [
    "preact",
    "preact-iso",
    "@tanstack/preact-query",
    "@codemirror/autocomplete",
    "@codemirror/commands",
    "@codemirror/lang-json",
    "@codemirror/language",
    "@codemirror/lint",
    "@codemirror/merge",
    "@codemirror/search",
    "@codemirror/state",
    "@codemirror/view",
    "@lezer/highlight",
  ],
};

/** Packages that one room alone may know. */
export const PACKAGE_OWNERS: Readonly<Record<string, string>> = {
  nodemailer: "mail",
  "markdown-it": "help",
  "@grpc/grpc-js": "listeners",
  "@grpc/proto-loader": "listeners",
  "@opentelemetry/api": "tracing",
  "@opentelemetry/core": "tracing",
  "@opentelemetry/exporter-trace-otlp-proto": "tracing",
  "@opentelemetry/resources": "tracing",
  "@opentelemetry/sdk-trace": "tracing",
};
