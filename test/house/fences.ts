/**
 * Every block of the documentation and of the examples that is not a command of `command-blocks.ts`: which test runs
 * or compares it, or why none does. `fences.test.ts` checks that this table is complete and that no row is superfluous.
 */

/** Blocks that a test runs, loads or compares. */
export interface TestedBlocks {
  readonly page: string;
  readonly language: string;
  /** Beginning of the blocks; absent: all blocks of the page in this language. */
  readonly begins?: string;
  /** The test; it names the page. */
  readonly test: string;
}

/** Blocks that no test reads. */
export interface UntestedBlocks {
  readonly page: string;
  readonly language: string;
  readonly begins: string;
  readonly reason: string;
}

const CONFIGURATIONS = "test/config/pages.test.ts";
const DECISIONS = "test/api/decisions/documentation.test.ts";
const PROXIES = "test/gateways/proxy-program.ts";
const PROVIDERS = "test/pages/identity-providers.test.ts";
const FILES = "test/pages/policy-files.test.ts";

/** Languages of pictures: they are drawn, not run. */
export const DRAWN: ReadonlySet<string> = new Set(["mermaid"]);

/** Blocks that a test reads. */
export const TESTED: readonly TestedBlocks[] = [
  { page: "README.md", language: "yaml", test: CONFIGURATIONS },
  { page: "README.md", language: "ts", test: "test/packages/testing.test.ts" },
  { page: "docs/client.md", language: "text", test: "test/pages/following-changes.test.ts" },
  { page: "docs/client.md", language: "ts", test: "test/packages/client.test.ts" },
  {
    page: "docs/conditions.md",
    language: "json",
    test: "packages/policy/test/engine/conditions-docs.test.ts",
  },
  { page: "docs/data-server.md", language: "yaml", test: CONFIGURATIONS },
  { page: "docs/datasets.md", language: "yaml", test: "test/datasets/load.test.ts" },
  { page: "docs/datasets.md", language: "", begins: "svc-authorizer load", test: FILES },
  { page: "docs/decision-api.md", language: "http", test: DECISIONS },
  { page: "docs/decision-api.md", language: "yaml", test: "test/scenario/authzen-docs.test.ts" },
  { page: "docs/decision-api.md", language: "json", test: DECISIONS },
  { page: "docs/decision-api.md", language: "", test: DECISIONS },
  { page: "docs/lint-rules.md", language: "yaml", test: "test/cli/policy/mistakes.test.ts" },
  { page: "docs/decision-log.md", language: "yaml", test: CONFIGURATIONS },
  { page: "docs/decision-log.md", language: "json", test: "test/pages/decision-log.test.ts" },
  { page: "docs/gateways.md", language: "yaml", begins: "authorizer:", test: CONFIGURATIONS },
  { page: "docs/gateways.md", language: "yaml", begins: "entryPoints:", test: PROXIES },
  { page: "docs/gateways.md", language: "nginx", test: PROXIES },
  { page: "docs/gateways.md", language: "caddyfile", test: PROXIES },
  { page: "docs/one-key.md", language: "yaml", test: CONFIGURATIONS },
  { page: "docs/mirroring.md", language: "yaml", test: CONFIGURATIONS },
  { page: "docs/high-availability.md", language: "yaml", test: CONFIGURATIONS },
  { page: "docs/identity-providers.md", language: "yaml", test: CONFIGURATIONS },
  { page: "docs/sign-in.md", language: "yaml", test: "test/pages/sign-in.test.ts" },
  { page: "docs/identity-providers.md", language: "json", test: PROVIDERS },
  { page: "docs/first-steps.md", language: "yaml", test: "test/examples/shop.test.ts" },
  { page: "docs/first-steps.md", language: "json", test: "test/examples/shop.test.ts" },
  { page: "docs/identity-providers.md", language: "nginx", test: PROVIDERS },
  { page: "docs/identity-providers.md", language: "text", test: PROVIDERS },
  { page: "docs/kubernetes.md", language: "yaml", test: "test/deploy/helm.test.ts" },
  { page: "docs/policy-as-code.md", language: "json", test: FILES },
  { page: "docs/policy-work.md", language: "yaml", begins: "files:", test: FILES },
  { page: "docs/policy-work.md", language: "yaml", begins: "# yaml-language-server", test: FILES },
  {
    page: "docs/policy-work.md",
    language: "yaml",
    begins: "# .pre-commit-config.yaml",
    test: "test/cli/policy/pre-commit.test.ts",
  },
  { page: "docs/requests.md", language: "http", test: "test/api/decisions/requests-page.test.ts" },
  { page: "docs/requests.md", language: "json", test: "test/api/decisions/requests-page.test.ts" },
  { page: "docs/spec/decision-api.md", language: "yaml", test: FILES },
  { page: "docs/testing.md", language: "ts", test: "test/packages/testing.test.ts" },
  { page: "docs/testing.md", language: "yaml", test: CONFIGURATIONS },
  ...["express", "fastify", "go", "hono", "java", "next", "python"].map((name) => ({
    page: `examples/${name}/README.md`,
    language: "sh",
    test: "test/examples/examples.test.ts",
  })),
];

/** Blocks that no test reads. */
export const UNTESTED: readonly UntestedBlocks[] = [
  {
    page: "docs/policy-work.md",
    language: "yaml",
    begins: "accept:",
    reason: "a part of a policy; docs/lint-rules.md shows whole ones, which a test lints",
  },
  { page: "docs/model.md", language: "", begins: "arn : svc", reason: "a drawing of the parts of an ARN" },
  {
    page: "docs/operations.md",
    language: "",
    begins: "ready service=",
    reason: "what a start prints; docs/first-steps.md shows a start, whose test compares it",
  },
  {
    page: "docs/operations.md",
    language: "",
    begins: "4  2026-11-22",
    reason: "one line of what a command prints; test/bootstrap/history-commands.test.ts checks its parts",
  },
  {
    page: "docs/spec/management-cli.md",
    language: "",
    begins: "+--------+",
    reason: "the form of a table; packages/svcctl/test compares tables",
  },
  {
    page: "docs/spec/management-cli.md",
    language: "",
    begins: "\nID: <id>",
    reason: "the form of an output with places to fill in; packages/svcctl/test compares outputs",
  },
  {
    page: "docs/spec/management-cli.md",
    language: "",
    begins: "Credentials created",
    reason: "the form of an output with places to fill in; packages/svcctl/test compares outputs",
  },
  {
    page: "docs/svcctl.md",
    language: "",
    begins: "user not found",
    reason: "what a refused call prints; packages/svcctl/test compares such messages",
  },
  {
    page: "examples/compose/README.md",
    language: "sh",
    begins: "export READER_SECRET",
    reason: "needs Docker; test/examples/compose.test.ts starts the parts from packages and asks the same",
  },
  {
    page: "examples/kubernetes/README.md",
    language: "sh",
    begins: "docker build",
    reason: "needs Docker and a cluster; test/examples/kubernetes.test.ts starts the containers' programs",
  },
];
