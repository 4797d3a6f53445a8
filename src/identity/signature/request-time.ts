/** The period of validity of a signature (spec/security §2.8). */

import { rememberLast } from "../../remember-last.ts";
import { SignatureRefused } from "../refusals.ts";
import type { CredentialParts } from "./credential-parts.ts";

const TIMESTAMP = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const EXPIRES = /^[1-9]\d{0,5}$/;
const MAX_EXPIRES_SECONDS = 604_800;
const SKEW_MS = 15 * 60_000;

/**
 * Unix milliseconds of a date and time in the basic form of ISO 8601; undefined for any other text. Requests of the same
 * second repeat it.
 */
const parseTimestamp = rememberLast((text: string): number | undefined => {
  const match = TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second] = match;
  // `Date.parse` refuses month 13 and hour 25, but reads the 31st of a short month as the 1st of the next.
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return new Date(time).getUTCDate() === Number(day) ? time : undefined;
});

/**
 * Refuses a signature outside its period: a header holds for 15 minutes around the time of the request, a presigned URL
 * from 15 minutes before that time until it expires.
 * @param now Unix milliseconds
 */
export function assertInTime({ form, timestamp, expires }: CredentialParts, now: number): void {
  const time = parseTimestamp(timestamp);
  if (form === "header") {
    if (time === undefined) throw new SignatureRefused("AccessDenied", "the request has no valid x-amz-date");
    if (Math.abs(now - time) > SKEW_MS) {
      const message = "the time of the request and of the server are more than 15 minutes apart";
      throw new SignatureRefused("RequestTimeTooSkewed", message);
    }
    return;
  }
  const seconds = EXPIRES.test(expires) ? Number(expires) : 0;
  if (time === undefined || seconds < 1 || seconds > MAX_EXPIRES_SECONDS) {
    const message = `X-Amz-Date must be a time and X-Amz-Expires 1 to ${MAX_EXPIRES_SECONDS} seconds`;
    throw new SignatureRefused("AuthorizationQueryParametersError", message);
  }
  if (now < time - SKEW_MS) throw new SignatureRefused("AccessDenied", "the request is not valid yet");
  if (now > time + seconds * 1_000) throw new SignatureRefused("AccessDenied", "the request has expired");
}
