/** Requests of clients that proxies ask about: mostly as they should be, and of other forms. */

import fc from "fast-check";
import { CREDENTIALS } from "./full-service.ts";
import type { ClientRequest } from "./second-opinion.ts";

/** Mostly the first, so that requests get somewhere. */
export const mostly = <T>(usual: T, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, odd);

const method = fc.constantFrom(
  ...["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "get", "G T", "", "\u0000"],
  ...["GET\r\nX: y", "A".repeat(33), "\u00c4"],
);
const segment = fc.constantFrom(
  ...[
    "/api/v1/repositories",
    "/data",
    "/branches",
    "/main",
    "/objects?path=a",
    "/refs",
    "/%2e%2e",
    "/..",
    "//",
    "/.",
  ],
  ...[
    "/%2F",
    "/%00",
    "/%",
    "/%zz",
    "/%ff",
    "?",
    "?%",
    "&path=b",
    "#x",
    "\\",
    " ",
    "\r\n",
    "\u0000",
    "\u00ff",
    ";x",
    "*",
  ],
  ...[
    "/healthcheck",
    "/config",
    "/auth/users",
    "/user",
    "?X-Amz-Signature=x",
    "?X-Amz-Credential=a/b",
    "/constructor",
  ],
);
const path = fc.oneof(
  fc.constantFrom(
    ...[
      "/api/v1/repositories/data/branches",
      "/api/v1/repositories/data/refs/main/objects?path=a",
      "/api/v1/config",
    ],
    ...["/", "", "*", "data:443", "http://a/api/v1/config", "/api/v1/healthcheck", `/${"a".repeat(70_000)}`],
    ...["/api/v1/repositories?amount=1", "/data/main/a", "/service/replication/x", "/auth/login"],
  ),
  fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => segments.join("")),
);
const host = fc.constantFrom(
  ...[
    "data.example.com",
    "data.example.com",
    "s3.example.com",
    "b.s3.example.com",
    "",
    "a b",
    "\u00e9",
    "[::1]:x",
  ],
  ...["s3.local.lakefs.io", "data.s3.local.lakefs.io:8000", "a".repeat(600), "\u0000", "a,b"],
);
const header: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  fc.constantFrom<readonly [string, string]>(
    ["authorization", CREDENTIALS.user],
    ["authorization", CREDENTIALS.service],
    ["authorization", "Bearer a.b.c"],
    ["authorization", "AWS AKIAJ:x"],
    [
      "authorization",
      "AWS4-HMAC-SHA256 Credential=A/20261130/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00",
    ],
    ["Authorization", CREDENTIALS.user],
  ),
  fc.tuple(
    fc.constantFrom(
      ...["authorization", "cookie", "host", "content-length", ":path", ":authority", "", ":", "__proto__"],
      ...[
        "constructor",
        "x-forwarded-for",
        "traceparent",
        "tracestate",
        "x-request-id",
        "x-svc-user",
        "content-type",
      ],
      ...[
        "x-amz-date",
        "x-amz-content-sha256",
        "x-amz-copy-source",
        "origin",
        "sec-fetch-site",
        "\u0000",
        "\u00ff",
        "a b",
      ],
      ...["access-control-request-method", "x-svc-proxy-token", "x-original-content-length"],
    ),
    fc.oneof(
      fc.constantFrom(
        "",
        " ",
        "x",
        "\u0000",
        "\r\nX: y",
        "\u00ff",
        "0",
        "-1",
        "null",
        "Basic %%%",
        "Basic Og==",
        "Bearer ",
      ),
      fc.constantFrom(
        "internal_auth_session=%",
        "internal_auth_session=a; internal_auth_session=b",
        "00-zz",
        "a".repeat(9_000),
      ),
      fc.constantFrom(
        "same-origin",
        "https://authorizer.example.com",
        "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        "/a/b",
        "%2",
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
    ),
  ),
);
/** A request of `alice`, or of nobody. */
export const clientRequest: fc.Arbitrary<ClientRequest> = fc.record({
  method: mostly("GET", method),
  path: mostly("/api/v1/repositories/data/branches", path),
  host: mostly("data.example.com", host),
  headers: fc
    .tuple(
      mostly<readonly (readonly [string, string])[]>([["authorization", CREDENTIALS.user]], fc.constant([])),
      fc.array(header, { maxLength: 4 }),
    )
    .map(([own, others]) => [...own, ...others]),
});
