/** Refusals as clients of the data server get them: JSON of the main API, XML of S3 (spec/security §2.3). */

import { xmlElement } from "@svc-authorizer/policy/html.ts";
import { errorBody } from "../../http/errors.ts";
import type { Reply } from "../../http/route.ts";

/** Codes of S3 errors that are answered; their status is always 403, since a proxy passes on no other refusal. */
const S3_CODES = [
  "AccessDenied",
  "SignatureDoesNotMatch",
  "RequestTimeTooSkewed",
  "InvalidAccessKeyId",
  "AuthorizationHeaderMalformed",
  "AuthorizationQueryParametersError",
] as const;

/** Of a refusal, the headers that are for clients; the others are for nginx. */
const FOR_CLIENTS: ReadonlySet<string> = new Set(["cache-control", "www-authenticate", "x-svc-decision-id"]);

/** The headers of a refusal that a client gets, name and value in turn. */
export function headersForClients(headers: readonly string[]): readonly string[] {
  return headers.filter((_text, index) => FOR_CLIENTS.has((headers[index & ~1] as string).toLowerCase()));
}

/** The reason why a request is refused. */
export interface Refusal {
  readonly status: 401 | 403;
  /** Code of S3 for requests of the gateway; absent: a request of the main API. */
  readonly s3?: (typeof S3_CODES)[number];
  /** For people; holds no secret. */
  readonly message: string;
}

/** A refusal on the wire. */
interface RefusalReply extends Reply {
  readonly headers: readonly string[];
}

/** Headers in which nginx hands a refusal on to {@link ERROR_PATH}: it drops the bodies of subrequests. */
const CODE_HEADER = "X-Svc-Error";
const REASON_HEADER = "X-Svc-Reason";
const CHALLENGE_HEADER = "WWW-Authenticate";
const CHALLENGE = 'Basic realm="svc", charset="UTF-8"';
/** For a page: with Basic, the browser would show a dialog of its own over the page that leads to the sign-in. */
const CHALLENGE_OF_PAGES = "Bearer";
const MOST_REASON = 1024;

/**
 * The answer to a refused request.
 * @param details of the S3 error: the path asked for, and the id of the decision or request; whether a page asks
 */
export function refusalReply(
  refusal: Refusal,
  details: { readonly resource: string; readonly id: string; readonly isOfPage?: boolean },
): RefusalReply {
  const { status, s3, message } = refusal;
  const body = s3 === undefined ? errorBody(message) : s3Body(s3, message, details);
  const headers = [
    "Cache-Control",
    "no-store",
    CODE_HEADER,
    s3 ?? (status === 401 ? "Unauthenticated" : "NotAllowed"),
    REASON_HEADER,
    encodeURIComponent(message.toWellFormed())
      .slice(0, MOST_REASON)
      .replace(/%[0-9A-F]?$/, ""),
    ...(status === 401 ? [CHALLENGE_HEADER, details.isOfPage === true ? CHALLENGE_OF_PAGES : CHALLENGE] : []),
  ];
  return { status, body, type: s3 === undefined ? "application/json" : "application/xml", headers };
}

/** An error as S3 has them, in XML. */
export function s3Body(
  code: string,
  message: string,
  { resource, id }: { resource: string; id: string },
): string {
  const fields = { Code: code, Message: message, Resource: resource, RequestId: id };
  const error = Object.entries(fields).map(([name, text]) => xmlElement(name, text));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${error.join("")}</Error>`;
}

/** The answer that gives nginx the body of a refusal. It adds the challenge of the subrequest itself. */
export function refusalPage(refusal: Refusal, details: { resource: string; id: string }): RefusalReply {
  const { headers, ...reply } = refusalReply(refusal, details);
  const challenge = headers.indexOf(CHALLENGE_HEADER);
  return { ...reply, headers: challenge < 0 ? headers : headers.toSpliced(challenge, 2) };
}

/**
 * The refusal that nginx passes on. A text that is not one of our refusals gives a refusal without a reason, never a
 * pass.
 */
export function handedOn(header: (name: string) => string | undefined): Refusal {
  const code = header(CODE_HEADER.toLowerCase());
  const message = reason(header(REASON_HEADER.toLowerCase()));
  const s3 = S3_CODES.find((known) => known === code);
  if (s3 !== undefined) return { status: 403, s3, message };
  return { status: code === "Unauthenticated" ? 401 : 403, message };
}

function reason(encoded: string | undefined): string {
  try {
    const text = decodeURIComponent(encoded ?? "");
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get into XML and JSON
    return text === "" || /[\x00-\x1f\x7f]/.test(text) ? "refused" : text;
  } catch {
    return "refused";
  }
}
