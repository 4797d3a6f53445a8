/**
 * Asks each identity provider of a configuration for its discovery document (`config validate --online`), and says what is
 * missing in it for what the configuration wants. An LDAP server is asked for somebody whom it cannot know.
 */

import { randomUUID } from "node:crypto";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { type ConfigProblem, problemOf } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { boundedBody } from "../bounded-body.ts";
import type { OidcIssuerItem } from "../config/item.ts";
import type { LoadedConfig } from "../config/load.ts";
import { ldapDirectory } from "./apis/ldap.ts";

/** Problems and warnings. */
interface ProviderFindings {
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
}

type Document = Readonly<Record<string, unknown>>;
type Tell = (message: string) => void;

const ISSUERS = "authorizer.oidc.issuers";
const LDAP = "authorizer.ldap.url";
const TIMEOUT_MS = 5_000;
const LARGEST_BYTES = 1 << 20;

/** Asks the providers of `authorizer.oidc.issuers` and `authorizer.ldap`, all at once. Never throws for what they answer. */
export async function providerFindings({ values, origins }: LoadedConfig): Promise<ProviderFindings> {
  const found = { problems: [] as ConfigProblem[], warnings: [] as ConfigProblem[] };
  const place = origins.get(ISSUERS)?.place ?? {};
  const judged = values[ISSUERS].map(async (issuer) => {
    const teller = (list: ConfigProblem[]) => (message: string) =>
      void list.push(problemOf(ISSUERS, `${JSON.stringify(issuer.name)}: ${message}`, place));
    const own = { problems: [] as ConfigProblem[], warnings: [] as ConfigProblem[] };
    await judge(issuer, teller(own.problems), teller(own.warnings));
    return own;
  });
  const judgedLdap = judgeLdap(values, (message) =>
    found.problems.push(problemOf(LDAP, message, origins.get(LDAP)?.place ?? {})),
  );
  // In the order of the configuration, whoever answers first.
  for (const { problems, warnings } of await Promise.all(judged)) {
    found.problems.push(...problems);
    found.warnings.push(...warnings);
  }
  await judgedLdap;
  return found;
}

/** Connects, binds and searches as for a sign-in: a wrong address, certificate, password or base is told. */
async function judgeLdap(values: LoadedConfig["values"], problem: Tell): Promise<void> {
  try {
    await ldapDirectory(values)?.find(`svc-authorizer-${randomUUID()}`, randomUUID());
  } catch (error) {
    const { name, message } = error as Error;
    problem(`the LDAP server cannot be asked: ${shown(`${name}: ${message}`)}`);
  }
}

async function judge(issuer: OidcIssuerItem, problem: Tell, warning: Tell): Promise<void> {
  if (issuer.jwks_uri !== undefined) await judgeKeys(issuer.jwks_uri, problem);
  if (issuer.jwks_uri !== undefined && !issuer.sign_in) return;
  const address = `${issuer.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const document = await fetched(address, problem);
  if (document === undefined) return;
  if (document["issuer"] !== issuer.issuer)
    problem(`${address} names the issuer ${shown(document["issuer"])}: issuer must be exactly that`);
  const keys = document["jwks_uri"];
  if (issuer.jwks_uri === undefined) {
    if (typeof keys === "string") await judgeKeys(keys, problem);
    else problem(`${address} has no jwks_uri`);
  }
  const signs = textsIn(document, "id_token_signing_alg_values_supported");
  if (signs !== undefined && !issuer.algorithms.some((one) => signs.includes(one)))
    problem(`it signs with ${shown(signs.join(", "))}: algorithms names none of these`);
  if (issuer.sign_in) judgeSignIn(issuer, document, { problem, warning });
}

async function judgeKeys(address: string, problem: Tell): Promise<void> {
  const document = await fetched(address, problem);
  const keys = document?.["keys"];
  if (document !== undefined && !(Array.isArray(keys) && keys.length > 0)) problem(`${address} has no keys`);
}

function judgeSignIn(
  issuer: OidcIssuerItem,
  document: Document,
  { problem, warning }: { readonly problem: Tell; readonly warning: Tell },
): void {
  for (const name of ["authorization_endpoint", "token_endpoint"])
    if (typeof document[name] !== "string") problem(`it has no ${name}: nobody can sign in with it`);
  const lacks = (name: string, value: string): boolean => textsIn(document, name)?.includes(value) === false;
  if (lacks("response_types_supported", "code"))
    problem("it does not offer the response type code, which is the one that signs people in here");
  if (textsIn(document, "code_challenge_methods_supported")?.includes("S256") !== true)
    warning("it does not say that it takes PKCE with S256, which is sent with each sign-in");
  const hasSecret = issuer.client_secret !== undefined || issuer.client_secret_file !== undefined;
  const method = hasSecret ? "client_secret_basic" : "none";
  if (lacks("token_endpoint_auth_methods_supported", method))
    problem(
      `its token endpoint does not take the method ${method}, which is used ${hasSecret ? "with" : "without"} a secret`,
    );
  for (const scope of issuer.scopes)
    if (lacks("scopes_supported", scope)) warning(`it does not offer the scope ${shown(scope)}`);
  for (const name of [issuer.username_claim, issuer.groups_claim, issuer.external_id_claim])
    if (lacks("claims_supported", name)) warning(`it does not name the claim ${shown(name)}`);
}

async function fetched(address: string, problem: Tell): Promise<Document | undefined> {
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (answer.status !== 200) {
      problem(`${address} answers ${answer.status}`);
      return undefined;
    }
    const document = parseJsonText(String(await boundedBody(answer.body, LARGEST_BYTES)));
    if (typeof document === "object" && document !== null && !Array.isArray(document))
      return document as Document;
    problem(`${address} answers with something else than a document`);
  } catch (error) {
    const { cause, message } = error as Error;
    problem(`${address} does not answer: ${shown(cause instanceof Error ? cause.message : message)}`);
  }
  return undefined;
}

/** A list of texts; undefined where the provider says nothing. */
function textsIn(document: Document, name: string): readonly string[] | undefined {
  const value = document[name];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;
}

const LONGEST = 200;

function shown(value: unknown): string {
  return String(JSON.stringify(value) ?? "nothing").slice(0, LONGEST);
}
