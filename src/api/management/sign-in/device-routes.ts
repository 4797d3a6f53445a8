/** `/device`: where a person who is signed in types the code of a program (RFC 8628; spec/sign-in §1). */

import { formBody } from "../../../http/body/form-body.ts";
import type { HttpLimits } from "../../../http/limits.ts";
import type { Described } from "../../../http/openapi/document.ts";
import type { HttpCounters } from "../../../http/ports.ts";
import type { TrustedProxies } from "../../../http/request/client-address.ts";
import type { Query } from "../../../http/request/query.ts";
import { type Api, type MountedRoute, mount, type RawCall, type Reply } from "../../../http/route.ts";
import { schemaRef } from "../../../http/schema/schema-forms.ts";
import type { Identities, Identity } from "../../../identity/identity.ts";
import type { DeviceRequests } from "../../../sign-in/device-requests.ts";
import type { SignIn } from "../../../sign-in/sign-in.ts";
import type { AuditEvents } from "../../rest/ports.ts";
import { auditingUnknown } from "../../rest/unknown-outcome.ts";
import { AuthenticationFailed, authenticate, proofOf } from "../login/proof.ts";
import { failureReply, pageReply } from "../page-html.ts";
import { ofThisSite, PAGE_ANSWER, PAGE_FAILURES } from "../page-operation.ts";
import { answeredPage, codePage, confirmPage, strangerPage } from "./device-html.ts";
import { signInAddress } from "./oidc-routes.ts";

const DEVICE_PATH = "/device";
const MAX_FORM_BYTES = 4_096;

/** Parts of the page. */
interface DeviceParts {
  readonly devices: DeviceRequests;
  /** undefined if no identity provider signs people in. */
  readonly signIn: SignIn | undefined;
  readonly identities: Identities;
  readonly proxies: TrustedProxies;
  readonly publicOrigins: ReadonlySet<string>;
  readonly audit: AuditEvents;
  readonly limits: Pick<HttpLimits, "anonymousBodyTimeoutMs">;
}

const DESCRIBED = { access: "open", path: DEVICE_PATH, tag: "sessions", failures: PAGE_FAILURES } as const;

/** The page, as the OpenAPI document describes it. */
export const DEVICE_OPERATIONS: readonly (Described & { readonly access: "open" })[] = [
  {
    ...DESCRIBED,
    method: "GET",
    id: "showDevicePage",
    summary: "The page that takes the code of a program",
    description: "For people who are signed in in this browser; others are shown where they sign in.",
    answer: PAGE_ANSWER,
  },
  {
    ...DESCRIBED,
    method: "POST",
    id: "answerDevice",
    summary: "Confirm or refuse that a program signs in",
    description: "Without `answer`, shows which program waits with the code. Needs the login cookie.",
    body: {
      type: "application/x-www-form-urlencoded",
      schema: schemaRef("DeviceForm"),
      example: { code: "BCDF-GHJK", answer: "confirm" },
    },
    answer: PAGE_ANSWER,
  },
];

/** The routes of the page. */
export function deviceRoutes(parts: DeviceParts, counters: HttpCounters): readonly MountedRoute[] {
  const api: Api = { authenticate: ofThisSite(parts, true), refusal: failureReply };
  return mount(
    api,
    [
      { method: "GET", path: DEVICE_PATH, priority: "bulk", handle: (call) => show(parts, call) },
      {
        method: "POST",
        path: DEVICE_PATH,
        priority: "bulk",
        body: formBody(MAX_FORM_BYTES, parts.limits),
        handle: (call) => answer(parts, call),
      },
    ],
    counters,
  );
}

/** The person who is signed in in this browser. A key or token in a header is a program's, which needs no code. */
async function personIn({ identities, proxies }: DeviceParts, call: RawCall): Promise<Identity | undefined> {
  try {
    const proof = proofOf(call.request);
    if (proof?.kind !== "token" || !proof.fromCookie) return undefined;
    return await authenticate(identities, proof, proxies.clientOf(call.request) ?? "");
  } catch (error) {
    if (error instanceof AuthenticationFailed) return undefined;
    throw error;
  }
}

function stranger({ signIn }: DeviceParts, status: number): Reply {
  const ways = signIn?.ways ?? [];
  return pageReply(
    strangerPage(ways, (way) => signInAddress(way, DEVICE_PATH)),
    status,
  );
}

async function show(parts: DeviceParts, call: RawCall): Promise<Reply> {
  const person = await personIn(parts, call);
  return person === undefined ? stranger(parts, 200) : pageReply(codePage(person.username, false));
}

async function answer(parts: DeviceParts, call: RawCall): Promise<Reply> {
  const person = await personIn(parts, call);
  if (person === undefined) return stranger(parts, 403);
  const { devices, audit, proxies } = parts;
  const form = call.body as Query;
  const code = form.get("code") ?? "";
  const found = await devices.find(code);
  if (found === undefined) return pageReply(codePage(person.username, true), 404);
  const said = form.get("answer");
  if (said === undefined) return pageReply(confirmPage(person.username, code, found));
  const isConfirmed = said === "confirm";
  const kind = isConfirmed ? "login" : "authentication_failed";
  const event = {
    actor: person.username,
    how: "device_confirmation",
    ...(!isConfirmed && { reason: "refused" }),
    request_id: call.requestId,
    source_ip: proxies.clientOf(call.request) ?? "",
    program_ip: found.source,
    program_host: found.host,
  };
  const isAnswered = await auditingUnknown(
    () => devices.answer(code, isConfirmed ? person : undefined),
    (outcome) => audit.event(kind, { ...event, ...outcome }),
  );
  if (!isAnswered) return pageReply(codePage(person.username, true), 404);
  audit.event(kind, event);
  return pageReply(answeredPage(isConfirmed));
}
