/** The credential of a signature: an access key id with the scope of the signing key (security.md §2.8). */

import type { SignatureFault } from "../identity.ts";
import { SignatureRefused } from "../refusals.ts";

/** The place of a signature in a request. */
export type SignatureForm = "header" | "presigned";

/** The content of a credential. */
export interface Scope {
  readonly accessKeyId: string;
  /** `YYYYMMDD`. */
  readonly date: string;
  readonly region: string;
  /** `<date>/<region>/s3/aws4_request`. */
  readonly scope: string;
}

/** The error code of a faulty part, by its place. */
export const MALFORMED = {
  header: "AuthorizationHeaderMalformed",
  presigned: "AuthorizationQueryParametersError",
} as const satisfies Record<SignatureForm, SignatureFault>;

const SERVICE = "s3";
const TERMINATOR = "aws4_request";
const SCOPE_PARTS = 4;
const DATE_DIGITS = 8;
const FORM_OF_CREDENTIAL = "the credential must be KEY/DATE/REGION/s3/aws4_request";

/**
 * Reads a credential. The id itself may contain slashes.
 * @param region `gateways.s3.region`
 * @throws SignatureRefused for another form, region, service or terminator
 */
export function scopeOf(form: SignatureForm, credential: string, region: string): Scope {
  const parts = credential.split("/");
  const [date, ...rest] = parts.splice(-SCOPE_PARTS);
  const accessKeyId = parts.join("/");
  if (accessKeyId === "" || date === undefined)
    throw new SignatureRefused(MALFORMED[form], FORM_OF_CREDENTIAL);
  if (rest[0] !== region || rest[1] !== SERVICE || rest[2] !== TERMINATOR) {
    const message = `the scope of the credential is wrong; expected ${region}/${SERVICE}/${TERMINATOR}`;
    throw new SignatureRefused(MALFORMED[form], message);
  }
  return { accessKeyId, date, region, scope: `${date}/${region}/${SERVICE}/${TERMINATOR}` };
}

/** Refuses a scope of another date than that of the request. @throws SignatureRefused */
export function assertSameDate(form: SignatureForm, { date }: Scope, timestamp: string): void {
  if (date !== timestamp.slice(0, DATE_DIGITS))
    throw new SignatureRefused(MALFORMED[form], FORM_OF_CREDENTIAL);
}
