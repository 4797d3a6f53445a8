/**
 * Every command block (`sh` or `console`) of the documentation: which test runs it, or why none does. `docs.test.ts`
 * checks that this table is complete and that none of its rows is superfluous.
 */

/** Blocks of a page that a test runs. */
export interface ExecutedBlocks {
  readonly page: string;
  /** Beginning of the blocks; absent: all blocks of the page in this language. */
  readonly begins?: string;
  readonly language: "sh" | "console";
  /** The test that runs them; it reads the page. */
  readonly test: string;
}

/** One block that no test runs. */
export interface UnexecutedBlock {
  readonly page: string;
  /** Beginning of the block, without a prompt. */
  readonly begins: string;
  readonly reason: string;
}

const FIRST_STEPS = "test/end-to-end/first-steps.test.ts";
const POLICY_WORK = "test/cli/policy/docs.test.ts";
const PAGES = "test/end-to-end/pages.test.ts";

/** Blocks that a test runs. */
export const EXECUTED: readonly ExecutedBlocks[] = [
  { page: "docs/first-steps.md", language: "sh", test: FIRST_STEPS },
  { page: "docs/first-steps.md", language: "console", test: FIRST_STEPS },
  { page: "README.md", begins: "npm ci", language: "sh", test: FIRST_STEPS },
  { page: "README.md", begins: "curl", language: "console", test: FIRST_STEPS },
  { page: "docs/policy-work.md", language: "console", test: POLICY_WORK },
  { page: "docs/model.md", language: "console", test: POLICY_WORK },
  { page: "docs/data-server-api.md", language: "console", test: PAGES },
  { page: "docs/datasets.md", language: "console", test: PAGES },
  { page: "docs/datasets.md", language: "sh", test: PAGES },
  { page: "docs/operations.md", begins: "cat > ", language: "sh", test: PAGES },
  { page: "docs/operations.md", begins: "export OLD", language: "sh", test: PAGES },
  { page: "docs/operations.md", language: "console", test: PAGES },
  { page: "docs/recipes.md", language: "sh", test: PAGES },
  { page: "docs/recipes.md", language: "console", test: PAGES },
  { page: "docs/management-api.md", language: "console", test: PAGES },
  { page: "docs/policy-as-code.md", language: "sh", test: PAGES },
  { page: "docs/policy-as-code.md", language: "console", test: PAGES },
  { page: "docs/access-review.md", language: "sh", test: "test/end-to-end/access/page.test.ts" },
  { page: "docs/access-review.md", language: "console", test: "test/end-to-end/access/page.test.ts" },
  {
    page: "docs/one-key.md",
    language: "sh",
    test: "test/proofs/data-server/one-key-walk.test.ts",
  },
  { page: "docs/svcctl.md", begins: "cat > ReadData.json", language: "sh", test: PAGES },
  { page: "docs/svcctl.md", language: "console", test: PAGES },
];

/** Blocks that no test runs. */
export const NOT_EXECUTED: readonly UnexecutedBlock[] = [
  ...[
    "DIR=$(mktemp -d)",
    "export LAKEFS_DATABASE_TYPE=local",
    "EAST=http://127.0.0.1:8010",
    "until api $MIRRORS/sales-west",
  ].map((begins) => ({
    page: "docs/mirroring.md",
    begins,
    reason:
      "needs two data servers; test/proofs/data-server/mirror-page.test.ts runs them where their program is given",
  })),
  {
    page: "docs/mirroring.md",
    begins: "curl -u",
    reason:
      "needs two data servers; test/proofs/data-server/mirrors-of-a-service.test.ts makes the call where they are given",
  },
  {
    page: "docs/mirroring.md",
    begins: "while sleep 1; do rsync",
    reason:
      "needs two data servers; test/proofs/data-server/mirror-users.test.ts copies the folder where they are given",
  },
  {
    page: "docs/sign-in.md",
    begins: "curl -s https://authz.example.com/oauth2/token",
    reason: "needs a pod; test/sign-in/token-exchange.test.ts sends the same form with tokens of issuers",
  },
  {
    page: "docs/kubernetes.md",
    begins: "kubectl create namespace authz",
    reason: "needs a cluster",
  },
  {
    page: "docs/kubernetes.md",
    begins: "helm install authz",
    reason: "needs a cluster; test/deploy/helm.test.ts renders the values of this page",
  },
  {
    page: "docs/tracing.md",
    begins: "export OTEL_EXPORTER_OTLP_ENDPOINT",
    reason:
      "needs a collector at that port; test/tracing/traces.test.ts runs the service with these variables",
  },
  {
    page: "docs/decision-log.md",
    begins: "svcctl decisions list --since",
    reason:
      "names a record that does not exist; test/end-to-end/decision-log/questions.test.ts runs these commands",
  },
  {
    page: "docs/decision-log.md",
    begins: "svcctl auth users list --last-used",
    reason:
      "names a user that does not exist; test/end-to-end/decision-log/usage.test.ts runs these commands",
  },
  {
    page: "docs/decision-log.md",
    begins: "svc-authorizer export --config",
    reason: "names files of a server; test/decision-log/replay-command.test.ts runs the command",
  },
  {
    page: "docs/decision-log.md",
    begins: "svcctl audit list --since",
    reason:
      "names a record that does not exist; test/end-to-end/decision-log/audit.test.ts runs these commands",
  },
  {
    page: "docs/decision-log.md",
    begins: "svcctl policy replay --server",
    reason: "needs a server's records; test/end-to-end/decision-log/questions.test.ts runs the command",
  },
  {
    page: "docs/decision-log.md",
    begins: "svcctl shadow report",
    reason: "needs a candidate; test/end-to-end/decision-log/shadow.test.ts runs the command",
  },
  {
    page: "docs/decision-log.md",
    begins: "svc-authorizer decision-log verify",
    reason: "names a folder of a server; test/proofs/decision-log.test.ts runs the command",
  },
  {
    page: "README.md",
    begins: "npm run -s svc-authorizer",
    reason: "needs a configuration file of the reader",
  },
  {
    page: "docs/high-availability.md",
    begins: "svc-authorizer journal copy",
    reason:
      "needs a database; test/journal/copy-log.test.ts and test/bootstrap/history-commands.test.ts copy",
  },
  {
    page: "docs/high-availability.md",
    begins: "svc-authorizer journal upgrade",
    reason: "needs a database; test/journal/format.test.ts raises the format",
  },
  { page: "CONTRIBUTING.md", begins: "git clone", reason: "needs the address of the repository" },
  {
    page: "docs/decision-api.md",
    begins: "npm run -s authzen-scenario",
    reason: "test/scenario/authzen.test.ts runs its parts",
  },
  {
    page: "docs/operations.md",
    begins: "TOKEN=… svc-authorizer import",
    reason: "needs another running service",
  },
  {
    page: "docs/identity-providers.md",
    begins: "AWS_ENDPOINT_URL_STS",
    reason: "test/gateways/boto3.test.ts sets them",
  },
  { page: "docs/svcctl.md", begins: "vault read", reason: "needs a vault" },
  { page: "docs/svcctl.md", begins: "svcctl auth users list --all", reason: "needs jq" },
  { page: "docs/svcctl.md", begins: "svcctl repo create", reason: "needs a data server" },
  { page: "docs/svcctl.md", begins: "svcctl fs upload", reason: "needs a data server" },
  { page: "docs/svcctl.md", begins: "svcctl local clone", reason: "needs a data server" },
  { page: "docs/svcctl.md", begins: "svcctl import", reason: "needs a data server and a store" },
  { page: "docs/svcctl.md", begins: "source <(svcctl", reason: "lines for start-up files of shells" },
  {
    page: "docs/testing.md",
    begins: "npm run -s svc-authorizer",
    reason: "needs a file that the reader writes",
  },
];
