/** The credential of a signature: an access key id with the scope of the signing key (spec/security §2.8). */

import { rememberLast } from "../../remember-last.ts";
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

/** A credential as given, with the time of its request. */
interface GivenCredential {
  readonly form: SignatureForm;
  /** Access key id and scope, joined by slashes. */
  readonly credential: string;
  /** Date and time in the basic form of ISO 8601. */
  readonly timestamp: string;
}

/**
 * Reads a credential. The id itself may contain slashes.
 * @param region `gateways.s3.region`
 * @throws SignatureRefused for another form, date, region, service or terminator
 */
export function scopeOf(given: GivenCredential, region: string): Scope {
  const { form, credential, timestamp } = given;
  const ending = endOfScopes(region);
  if (!credential.endsWith(ending)) throw otherEnd(given, region);
  const end = credential.length - ending.length;
  const slash = credential.lastIndexOf("/", end - 1);
  const date = credential.slice(slash + 1, end);
  if (slash <= 0 || date !== timestamp.slice(0, DATE_DIGITS)) {
    throw new SignatureRefused(MALFORMED[form], FORM_OF_CREDENTIAL);
  }
  return { accessKeyId: credential.slice(0, slash), date, region, scope: credential.slice(slash + 1) };
}

/** The end of all scopes of a region: a process has one. */
const endOfScopes = rememberLast((region: string) => `/${region}/${SERVICE}/${TERMINATOR}`);

/** The reason why a credential that ends otherwise than all scopes is refused. */
function otherEnd({ form, credential }: GivenCredential, region: string): SignatureRefused {
  const isWhole = credential.split("/").length > SCOPE_PARTS;
  const expected = `the scope of the credential is wrong; expected ${region}/${SERVICE}/${TERMINATOR}`;
  return new SignatureRefused(MALFORMED[form], isWhole ? expected : FORM_OF_CREDENTIAL);
}
