/** Requests signed by hand, and what becomes of them. */

import { beforeEach } from "vitest";
import { openedOnce } from "../opened.ts";
import { type MappedRequest, sign, type ToSign } from "./naive-signer.ts";
import { HERE, openTestIdentities, outcomeOf, type TestIdentities } from "./test-identities.ts";

/** The time of the signatures. */
export const TIMESTAMP = "20260304T120000Z";
export const TIME = Date.parse("2026-03-04T12:00:00Z");
export const MINUTE = 60_000;
export const EMPTY_SHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
/** Outcomes, as `outcomeOf` tells them. */
export const RIGHT = "alice";
export const NO_MATCH = "unauthenticated SignatureDoesNotMatch";
export const DENIED = "unauthenticated AccessDenied";
export const BAD_HEADER = "unauthenticated AuthorizationHeaderMalformed";
export const BAD_QUERY = "unauthenticated AuthorizationQueryParametersError";
export const SKEWED = "unauthenticated RequestTimeTooSkewed";
export const NO_KEY = "unauthenticated InvalidAccessKeyId";

/** A PUT signed in its Authorization header; every part can be another. */
export const header = (change: Partial<ToSign> = {}): MappedRequest =>
  sign({
    form: "header",
    method: "PUT",
    path: "/repo/main/data.csv",
    query: [
      ["partNumber", "1"],
      ["uploadId", "u/1 +"],
    ],
    headers: { host: "s3.example.com", "content-type": "text/csv", "x-amz-meta-a": "b" },
    accessKeyId: "AK-ALICE",
    secret: "secret of AK-ALICE",
    timestamp: TIMESTAMP,
    expires: "",
    payload: EMPTY_SHA256,
    algorithm: "AWS4-HMAC-SHA256",
    scope: ["20260304", "us-east-1", "s3", "aws4_request"],
    ...change,
  });

/** The same, presigned for an hour. */
export const presigned = (change: Partial<ToSign> = {}): MappedRequest =>
  header({
    form: "presigned",
    headers: { host: "s3.example.com" },
    expires: "3600",
    payload: "UNSIGNED-PAYLOAD",
    ...change,
  });

/** A signed request, changed after signing; a header that becomes undefined is taken out. */
export function changed(
  request: MappedRequest,
  change: Partial<Omit<MappedRequest, "headers">>,
  headers: Readonly<Record<string, string | undefined>> = {},
): MappedRequest {
  const all = new Map(request.headers);
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) all.delete(name);
    else all.set(name, value);
  }
  return { ...request, ...change, headers: all };
}

/** A text with one replacement, which must find something. */
export const edit = (text: string, from: string | RegExp, to: string): string => {
  const edited = text.replace(from, to);
  if (edited === text) throw new Error(`nothing to change: ${from}`);
  return edited;
};

/** The verification that the tests of a file share. */
interface SharedVerification {
  readonly opened: TestIdentities;
  /** Returns the outcome of the verification of a request. */
  verify(request: MappedRequest): Promise<string>;
}

/** Opens one verification for the tests of a file; each test begins at {@link TIME}. */
export function shareVerification(): SharedVerification {
  const opened = openedOnce(() => openTestIdentities());
  beforeEach(() => {
    opened.clock.now = TIME;
  });
  return {
    get opened() {
      return opened;
    },
    verify: (request) => outcomeOf(() => opened.identities.withSignature(request, HERE)),
  };
}
