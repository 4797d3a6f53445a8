/**
 * `POST /sts`: AssumeRoleWithWebIdentity of AWS's security token service, for programs with a token of an identity provider.
 * AWS's own SDKs call it where `AWS_ENDPOINT_URL_STS`, `AWS_ROLE_ARN` and `AWS_WEB_IDENTITY_TOKEN_FILE` are set.
 */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { xmlElement } from "@svc-authorizer/policy/html.ts";
import type { ExpiringCredential } from "@svc-authorizer/policy/model/entities.ts";
import type { Directory } from "../../directory/directory.ts";
import { formBody } from "../../http/body/form-body.ts";
import type { HttpLimits } from "../../http/limits.ts";
import type { Described } from "../../http/openapi/document.ts";
import type { HttpCounters } from "../../http/ports.ts";
import type { TrustedProxies } from "../../http/request/client-address.ts";
import type { Query } from "../../http/request/query.ts";
import { ANONYMOUS, type Api, type MountedRoute, mount, type RawCall, type Reply } from "../../http/route.ts";
import { schemaRef } from "../../http/schema/schema-forms.ts";
import type { Identities } from "../../identity/identity.ts";
import type { OidcSubject, OidcTokens } from "../../identity/oidc/oidc.ts";
import { usersOf, type WebUsers } from "../../identity/oidc/web-users.ts";
import { claimsOf } from "../../identity/token-parts.ts";
import { NO_STORE_HEADER } from "../rest/declared.ts";
import { NO_STORE } from "../rest/operation.ts";
import type { AuditEvents } from "../rest/ports.ts";
import { auditingUnknown } from "../rest/unknown-outcome.ts";
import { type AssumeRole, readAssumeRole } from "./read-request.ts";
import { NAMESPACE, StsRefused, stsRefusal, XML } from "./sts-error.ts";

/** Largest form: a token of 16 KiB, percent-encoded, and the rest. */
const MAX_FORM_BYTES = 64 << 10;

/** SDKs put a slash behind the path of the configured address, or not. */
const PATHS = ["/sts", "/sts/"] as const;

/** Options of the service. */
export interface StsOptions {
  readonly oidc: OidcTokens;
  readonly users: WebUsers;
  /** Product-name part of ARNs. */
  readonly partition: string;
  readonly directory: Pick<Directory, "credentials">;
  readonly identities: Pick<Identities, "sessionTokenOf">;
  readonly audit: AuditEvents;
  readonly proxies: TrustedProxies;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const ANSWER = { type: XML, schema: { type: "string" } } as const;

function failureOf(description: string) {
  return { description, content: { [XML]: { schema: ANSWER.schema } } };
}

/** The operation, as the OpenAPI document describes it. */
export const STS_OPERATIONS: readonly (Described & { readonly access: "open" })[] = PATHS.map((path) => ({
  access: "open",
  method: "POST",
  path,
  id: path === PATHS[0] ? "assumeRoleWithWebIdentity" : "assumeRoleWithWebIdentityBelow",
  tag: "sessions",
  summary: "Exchange a token of an identity provider for an access key that expires",
  description: "AssumeRoleWithWebIdentity of AWS's query API, where `authorizer.sts.enabled` is true.",
  body: {
    type: "application/x-www-form-urlencoded",
    schema: schemaRef("StsForm"),
    example: {
      Action: "AssumeRoleWithWebIdentity",
      RoleArn: "arn:svc:auth:::user/alice",
      RoleSessionName: "job",
      WebIdentityToken: "the-token-of-the-provider",
    },
  },
  answer: {
    ...ANSWER,
    example: "<AssumeRoleWithWebIdentityResponse>…</AssumeRoleWithWebIdentityResponse>",
    status: 200,
    description: "The access key, in AWS's XML.",
    headers: NO_STORE_HEADER,
  },
  failures: {
    400: failureOf("The call is not whole, the token does not hold, or the user has too many such keys."),
    403: failureOf("The token does not stand for the user."),
    default: failureOf("Another error."),
    413: failureOf("The form is too large."),
    503: failureOf("The service cannot tell now."),
  },
}));

/** The routes. */
export function stsRoutes(options: StsOptions, counters: HttpCounters): readonly MountedRoute[] {
  const api: Api = { authenticate: () => ANONYMOUS, refusal: stsRefusal };
  const routes = PATHS.map((path) => ({
    method: "POST" as const,
    path,
    priority: "bulk" as const,
    // A log-in: the key is a commit, and a refusal that is asked again would be one more event of the audit log.
    reads: true,
    body: formBody(MAX_FORM_BYTES, options.limits),
    handle: (call: RawCall) => assumeRole(options, call),
  }));
  return mount(api, routes, counters);
}

async function assumeRole(options: StsOptions, call: RawCall): Promise<Reply> {
  const asked = readAssumeRole(call.body as Query, options.partition);
  const { audit, proxies } = options;
  const source = proxies.clientOf(call.request);
  const origin = {
    request_id: call.requestId,
    ...(source !== undefined && { source_ip: source }),
    how: "web_identity",
    operation: "AssumeRoleWithWebIdentity",
  };
  const issuer = options.oidc.claimedIssuer(asked.token);
  try {
    const subject = await verified(options.oidc, asked.token);
    const users = await usersOf(subject, claimsOf(asked.token) ?? {}, options.users);
    if (!users.has(asked.user)) throw denied();
    const userId = users.get(asked.user);
    const of = {
      ...origin,
      actor: asked.user,
      user: asked.user,
      issuer: subject.issuer.name,
      session: asked.sessionName,
    };
    const key = await auditingUnknown(
      () => keyFor(options, { ...asked, userId }),
      (outcome) => audit.event("write", { ...of, ...outcome }),
    );
    const { access_key_id, creation_date, expires_at } = key;
    audit.event("write", { ...of, after: { access_key_id, creation_date, expires_at } });
    audit.event("secret_read", { ...of, access_key_id });
    const body = answerXml(
      asked,
      { key, subject, token: options.identities.sessionTokenOf(key) },
      call.requestId,
    );
    return { status: 200, body, type: XML, headers: NO_STORE };
  } catch (error) {
    if (error instanceof StsRefused) {
      const from = issuer === undefined ? {} : { issuer };
      audit.event("authentication_failed", { ...origin, ...from, user: asked.user, reason: error.message });
    }
    throw error;
  }
}

/** @throws StsRefused for a token that does not hold, and where its issuer cannot be asked */
async function verified(oidc: OidcTokens, token: string): Promise<OidcSubject> {
  try {
    return await oidc.verify(token);
  } catch (error) {
    if (isErrorCode(error, "unavailable"))
      throw new StsRefused("IDPCommunicationError", "the identity provider does not answer", error);
    if (isErrorCode(error, "unauthenticated"))
      throw new StsRefused("InvalidIdentityToken", "the token is not valid here", error);
    throw error;
  }
}

/** The same words whoever is missing or inactive: a token says nothing about other users of the directory. */
function denied(cause?: unknown): StsRefused {
  return new StsRefused(
    "AccessDenied",
    "not allowed to perform AssumeRoleWithWebIdentity for this user",
    cause,
  );
}

async function keyFor(
  { directory }: StsOptions,
  { user, userId, seconds }: AssumeRole & { readonly userId: string | undefined },
): Promise<ExpiringCredential> {
  try {
    return await directory.credentials.createTemporary(user, seconds, userId);
  } catch (error) {
    if (isErrorCode(error, "not_found")) throw denied(error);
    if (isErrorCode(error, "conflict")) throw new StsRefused("LimitExceeded", error.message, error);
    throw error;
  }
}

function answerXml(
  { roleArn, sessionName }: AssumeRole,
  made: { readonly key: ExpiringCredential; readonly subject: OidcSubject; readonly token: string },
  requestId: string,
): string {
  const { key, subject, token } = made;
  const credentials = [
    xmlElement("AccessKeyId", key.access_key_id),
    xmlElement("SecretAccessKey", key.secret_access_key),
    xmlElement("SessionToken", token),
    xmlElement("Expiration", new Date(key.expires_at * 1_000).toISOString()),
  ].join("");
  const role = [
    xmlElement("Arn", roleArn),
    xmlElement("AssumedRoleId", `${key.access_key_id}:${sessionName}`),
  ].join("");
  const result = [
    `<Credentials>${credentials}</Credentials>`,
    `<AssumedRoleUser>${role}</AssumedRoleUser>`,
    xmlElement("SubjectFromWebIdentityToken", subject.username),
    xmlElement("Provider", subject.issuer.issuer),
  ].join("");
  const name = "AssumeRoleWithWebIdentity";
  return `<${name}Response xmlns="${NAMESPACE}"><${name}Result>${result}</${name}Result><ResponseMetadata>${xmlElement("RequestId", requestId)}</ResponseMetadata></${name}Response>`;
}
