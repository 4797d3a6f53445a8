/** Validation of a configuration as a whole. */
import { basename } from "node:path";
import {
  type ProblemSink,
  problemOf,
  problemSink,
} from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { idleItems } from "./idle-items.ts";
import type { Origins } from "./merge.ts";
import { type ConfigName, type ConfigValues, itemNamed, variableOf } from "./table.ts";
import { exchangeProblems } from "./validate-exchange.ts";
import { ldapProblems } from "./validate-ldap.ts";
import { mirroringProblems } from "./validate-mirroring.ts";
import { signInProblems } from "./validate-sign-in.ts";
import { isLoopbackHost, parseListenAddress } from "./values/listen-address.ts";
import { SHORTEST_TOKEN } from "./values/parse-tokens.ts";
import { isKnownPlaceholder, KNOWN_SECRET } from "./values/placeholder.ts";

/** Fewest bytes of `auth.encrypt.secret_key`: what HS256 wants. */
export const SHORTEST_SECRET_KEY_BYTES = 32;

type Tell = (name: ConfigName, message: string) => void;

type Rule = (values: ConfigValues, problem: Tell, warning: Tell) => void;

/** The purpose of the validation. */
interface ValidationOptions {
  /** The configuration file, for problems of what is missing. */
  readonly file?: string;
  /** The values of `database.type` that can be opened; all where undefined. */
  readonly databaseTypes?: readonly string[] | undefined;
}

/**
 * Returns every problem and warning of values that are valid one by one; `origins` give the places. Items that only
 * the data server requires may be missing.
 */
export function validate(
  values: ConfigValues,
  origins: Origins,
  { file, databaseTypes }: ValidationOptions,
): ProblemSink {
  const sink = problemSink();
  const elsewhere = file === undefined ? {} : { file };
  const teller =
    (list: ProblemSink["problems"]) =>
    (name: string, message: string): void => {
      const place = origins.get(name)?.place ?? {};
      list.push(
        problemOf(name, message, place.file === undefined && place.source === undefined ? elsewhere : place),
      );
    };
  requireDatabase(values, databaseTypes ?? DATABASE_CHOICES, teller(sink.problems));
  for (const rule of RULES) rule(values, teller(sink.problems), teller(sink.warnings));
  const warn = teller(sink.warnings);
  for (const { name, why } of idleItems(values, origins)) warn(name, `has no effect: ${why}`);
  return sink;
}

const DATABASE_CHOICES = itemNamed("database.type").choices ?? [];

const RULES: readonly Rule[] = [
  requireSecretKey,
  refuseKnownSecrets,
  warnOfDefaultPostgres,
  requireCertificates,
  requireFolderForWorkers,
  guardServiceListener,
  warnOfUserListener,
  keepListenersApart,
  pairBootstrapKeys,
  exchangeProblems,
  signInProblems,
  mirroringProblems,
  ldapProblems,
  warnOfInstallation,
  requireLogOutput,
  warnOfUnauditedDecisions,
  warnOfLoginDurations,
  warnOfShortToken,
  checkWebUsers,
  checkAuthentication,
];

function missing(name: ConfigName, what: string): string {
  return `required: ${what} (or the variable ${variableOf(name)})`;
}

function requireDatabase(values: ConfigValues, available: readonly string[], problem: Tell): void {
  const type = values["database.type"];
  if (type === undefined) {
    problem("database.type", missing("database.type", `one of ${available.join(", ")}`));
  } else if (!available.includes(type)) {
    problem("database.type", `${type} is not available in this build; use ${available.join(" or ")}`);
  }
  if (type !== "cosmosdb") return;
  for (const name of [
    "database.cosmosdb.endpoint",
    "database.cosmosdb.database",
    "database.cosmosdb.container",
  ] as const) {
    if (values[name] === "") problem(name, missing(name, "database.type is cosmosdb"));
  }
}

function requireSecretKey(values: ConfigValues, problem: Tell): void {
  const name = "auth.encrypt.secret_key";
  const key = values[name];
  const remedy = "make one with: openssl rand -hex 32";
  if (key === undefined) {
    problem(name, missing(name, `a random text of at least ${SHORTEST_SECRET_KEY_BYTES} bytes; ${remedy}`));
  } else if (values["authorizer.allow_weak_key"]) {
    return;
  } else if (isKnownPlaceholder(key)) {
    problem(name, KNOWN_SECRET);
  } else if (Buffer.byteLength(key) < SHORTEST_SECRET_KEY_BYTES) {
    problem(
      name,
      `expected at least ${SHORTEST_SECRET_KEY_BYTES} bytes: a short key can be guessed from one login token; ${remedy} (authorizer.allow_weak_key accepts it)`,
    );
  }
}

/** Secrets besides the key, which whoever has read the examples of a manual would know. */
const SECRETS = [
  "auth.api.token",
  "authorizer.forward_auth.proxy_token",
  "authorizer.bootstrap_admin.secret_access_key",
  "authorizer.exchange.secret_access_key",
] as const;

function refuseKnownSecrets(values: ConfigValues, problem: Tell): void {
  if (values["authorizer.allow_weak_key"]) return;
  for (const name of SECRETS) if (isKnownPlaceholder(values[name] ?? "")) problem(name, KNOWN_SECRET);
}

function warnOfDefaultPostgres(values: ConfigValues, _: Tell, warning: Tell): void {
  const name = "database.postgres.connection_string";
  const byDefault = itemNamed(name).default;
  if (values["database.type"] !== "postgres" || values[name] !== byDefault) return;
  warning(
    name,
    `is not set: the service uses ${byDefault}, without a password; set it (or ${variableOf(name)})`,
  );
}

function requireCertificates(values: ConfigValues, problem: Tell): void {
  for (const section of ["tls", "authorizer.tls"] as const) {
    if (!values[`${section}.enabled`]) continue;
    for (const name of [`${section}.cert_file`, `${section}.key_file`] as const) {
      if (!values[name]) problem(name, missing(name, `${section}.enabled is true`));
    }
  }
  if (values["authorizer.tls.client_ca_file"] && !values["authorizer.tls.enabled"]) {
    problem("authorizer.tls.client_ca_file", "mutual TLS needs authorizer.tls.enabled: true");
  }
}

function isOpen(address: string): boolean {
  return !isLoopbackHost(parseListenAddress(address)?.host ?? "");
}

function guardServiceListener(values: ConfigValues, problem: Tell): void {
  if (values["authorizer.tls.enabled"] || values["authorizer.insecure_listen"]) return;
  const remedy = "set authorizer.tls.*, or authorizer.insecure_listen: true where the network itself is safe";
  if (isOpen(values["authorizer.listen_address"])) {
    problem("authorizer.listen_address", `the service listener leaves loopback without TLS: ${remedy}`);
  }
  for (const name of [
    "authorizer.ext_authz.listen_address",
    "authorizer.exchange.streaming_address",
  ] as const) {
    const address = values[name];
    if (address !== undefined && isOpen(address)) problem(name, `leaves loopback without TLS: ${remedy}`);
  }
}

function warnOfUserListener(values: ConfigValues, _: Tell, warning: Tell): void {
  if (values["tls.enabled"] || !isOpen(values["authorizer.user_listen_address"])) return;
  warning(
    "authorizer.user_listen_address",
    "the user listener leaves loopback without TLS (tls.enabled is false)",
  );
}

function keepListenersApart(values: ConfigValues, problem: Tell): void {
  const names = [
    "authorizer.user_listen_address",
    "authorizer.listen_address",
    "authorizer.metrics_address",
    "authorizer.ext_authz.listen_address",
    "authorizer.exchange.streaming_address",
  ] as const;
  const taken = new Map<string, ConfigName>();
  for (const name of names) {
    const address = values[name];
    if (address === undefined) continue;
    const other = taken.get(address);
    if (other !== undefined) problem(name, `is the address of ${other} too`);
    if (parseListenAddress(address)?.port !== 0) taken.set(address, name);
  }
}

function requireFolderForWorkers(values: ConfigValues, problem: Tell): void {
  if (values["authorizer.workers"] === "1") return;
  const type = values["database.type"];
  if (type === "mem") {
    const reason =
      "with database.type mem each process would have a directory of its own; use database.type local";
    problem("authorizer.workers", reason);
  }
  const path = values["authorizer.replication.path"];
  if (type !== "local" && type !== "mem" && path !== undefined && basename(path) === "mem") {
    const reason =
      "with authorizer.replication.path mem the copy is in the memory of one process; name a folder, or leave it unset";
    problem("authorizer.workers", reason);
  }
}

function pairBootstrapKeys(values: ConfigValues, problem: Tell): void {
  const username = values["authorizer.bootstrap_admin.username"];
  const key = values["authorizer.bootstrap_admin.access_key_id"];
  const secret = values["authorizer.bootstrap_admin.secret_access_key"];
  if (key !== undefined && secret === undefined) {
    problem("authorizer.bootstrap_admin.secret_access_key", "required: the access key id is given");
  }
  if (secret !== undefined && key === undefined) {
    problem("authorizer.bootstrap_admin.access_key_id", "required: the secret access key is given");
  }
  if (username === undefined && (key ?? secret) !== undefined) {
    problem("authorizer.bootstrap_admin.username", "required: the administrator's key is given");
  }
}

function warnOfInstallation(values: ConfigValues, _: Tell, warning: Tell): void {
  const items = [
    "installation.user_name",
    "installation.access_key_id",
    "installation.secret_access_key",
  ] as const;
  const given = items.filter((name) => values[name] !== undefined);
  if (values["database.type"] !== "local") {
    const remedy = "set authorizer.bootstrap_admin.* to create the first administrator with another type";
    for (const name of given) warning(name, `is read only with database.type local; ${remedy}`);
  }
  const named = values["authorizer.bootstrap_admin.username"] !== undefined;
  const keyed = values["authorizer.bootstrap_admin.access_key_id"] !== undefined;
  if (named && !keyed && values["authorizer.bootstrap"] !== "external") {
    warning(
      values["installation.user_name"] === undefined
        ? "authorizer.bootstrap_admin.username"
        : "installation.user_name",
      "creates no administrator without an access key id and a secret access key",
    );
  }
}

function requireLogOutput(values: ConfigValues, problem: Tell): void {
  if (values["logging.output"].length === 0) {
    problem("logging.output", "expected at least one path; logging.level NONE writes no log");
  }
}

function warnOfUnauditedDecisions(values: ConfigValues, _: Tell, warning: Tell): void {
  if (values["authorizer.audit.decisions"] === "none" || values["authorizer.audit.output"]) return;
  const level = values["logging.audit_log_level"];
  const levels = itemNamed("logging.level").choices ?? [];
  if (level !== "NONE" && levels.indexOf(level) >= levels.indexOf(values["logging.level"])) return;
  warning(
    "authorizer.audit.decisions",
    "audits no decision: authorizer.audit.output is not set, and logging.audit_log_level is below logging.level",
  );
}

function warnOfLoginDurations(values: ConfigValues, _: Tell, warning: Tell): void {
  if (values["auth.login_duration"] > values["auth.login_max_duration"]) {
    warning("auth.login_duration", "is longer than auth.login_max_duration, which bounds it");
  }
}

function warnOfShortToken(values: ConfigValues, _: Tell, warning: Tell): void {
  const token = values["auth.api.token"];
  if (token !== undefined && token.length < SHORTEST_TOKEN) {
    warning(
      "auth.api.token",
      `is short for a token that may do everything: at least ${SHORTEST_TOKEN} characters are better`,
    );
  }
}

function checkWebUsers(values: ConfigValues, problem: Tell, warning: Tell): void {
  const issuers = values["authorizer.oidc.issuers"];
  const entries = values["authorizer.sts.users"];
  const known = new Set(issuers.map(({ name }) => name));
  for (const { issuer } of entries) {
    if (known.has(issuer)) continue;
    problem("authorizer.sts.users", `authorizer.oidc.issuers has no issuer named ${JSON.stringify(issuer)}`);
  }
  if (!values["authorizer.sts.enabled"] || entries.length > 0) return;
  if (issuers.some(({ directory_users }) => directory_users)) return;
  warning(
    "authorizer.sts.enabled",
    "gives nobody a key: no issuer has directory_users, and authorizer.sts.users names nobody",
  );
}

function checkAuthentication(values: ConfigValues, problem: Tell, warning: Tell): void {
  if (values["authorizer.aws_iam.enabled"] && values["authorizer.aws_iam.server_id"] === undefined) {
    const what = "without it, an identity that was signed for another server would work here";
    problem("authorizer.aws_iam.server_id", missing("authorizer.aws_iam.server_id", what));
  }
  const stsIssuer = values["authorizer.authentication_api.sts_issuer"];
  if (stsIssuer !== undefined) {
    const found = values["authorizer.oidc.issuers"].some(
      ({ name, sign_in }) => sign_in && name === stsIssuer,
    );
    if (!found)
      problem(
        "authorizer.authentication_api.sts_issuer",
        "names no issuer of authorizer.oidc.issuers with sign_in",
      );
    if (values["authorizer.authentication_api.sts_redirect_uris"].length === 0)
      problem(
        "authorizer.authentication_api.sts_redirect_uris",
        missing("authorizer.authentication_api.sts_redirect_uris", "sts_issuer is set"),
      );
  }
  const servers = values["authorizer.authentication_api.trusted_servers"];
  if (values["authorizer.authentication_api.enabled"] && servers.length === 0)
    warning("authorizer.authentication_api.enabled", "answers nobody: trusted_servers names no address");
}
