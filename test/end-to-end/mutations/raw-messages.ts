/** Bytes that strangers send: requests as HTTP would not have them, one or several on a connection. */

import fc from "fast-check";

const method = fc.constantFrom(
  ...["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "QUERY", "PURGE"],
  ...["PROPFIND", "M-SEARCH", "PRI", "get", "FLY", ""],
);
const target = fc.constantFrom(
  ...[
    "*",
    "/",
    "//",
    "/*",
    "/..",
    "/%",
    "/%zz",
    "?",
    "/?",
    "/#x",
    "/\\",
    ":",
    "a:80",
    "http://a/b",
    "http://a",
  ],
  ...[
    "https://u:p@h:99999/x",
    "/access/v1/evaluation",
    "/forward-auth",
    "/forward-auth/envoy/",
    "/api/v1/watch",
  ],
  ...[
    "/scim/v2/Users",
    "/api/v1/auth/users",
    "/healthz",
    "/metrics",
    "/sts",
    "/device",
    "/help/",
    "/auth/login",
  ],
  ...["/openapi.json", "/%2e%2e/%2e%2e/etc/passwd", "/repo/b%2f..%2fx?uploads", `/${"a".repeat(20_000)}`, ""],
);
const header = fc.constantFrom(
  ...[
    "Host: ",
    "Host: a\r\nHost: b",
    "Content-Length: 5",
    "Content-Length: -1",
    "Content-Length: 99999999999999999999",
  ],
  ...[
    "Content-Length: 5\r\nContent-Length: 6",
    "Transfer-Encoding: chunked",
    "Transfer-Encoding: gzip, chunked",
  ],
  ...["Transfer-Encoding: chunked, identity", "Expect: 100-continue", "Expect: x", "Connection: close"],
  ...[
    "Upgrade: websocket\r\nConnection: Upgrade",
    "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk",
  ],
  ...["Content-Type: application/json", "Content-Type: application/x-ndjson", "Content-Encoding: gzip"],
  ...[
    "Authorization: Bearer a.b.c",
    "Authorization: Basic %%%",
    "Authorization: AWS AKIAJ:x",
    "Authorization:",
  ],
  ...[
    "Authorization: AWS4-HMAC-SHA256 Credential=AKIAJ/20261130/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=00",
  ],
  ...["x-amz-date: 20261130T000000Z", "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD"],
  ...[
    "x-amz-decoded-content-length: 5",
    "X-Original-URI: /x?%",
    "X-Original-Method: G T",
    "X-Forwarded-For: 1,,[::1]:x",
  ],
  ...[
    "X-Forwarded-Uri: *",
    "Forwarded: for=x;;=",
    "Cookie: internal_auth_session=%; =;",
    "Range: bytes=9-",
    "If-Match: x",
  ],
  ...[
    "X-Svc-Min-Revision: x",
    "X-Request-Id: a b",
    "traceparent: 00-zz",
    " folded",
    "NoColon",
    ": empty",
    "X: \u00ff",
  ],
  ...[`X: ${"y".repeat(9_000)}`, "Trailer: X", "Origin: null"],
);
const body = fc.constantFrom(
  ...[
    "",
    "",
    "hello",
    "{}",
    "5\r\nhello\r\n0\r\n\r\n",
    "5;x=y\r\nhello\r\n0\r\nX: y\r\n\r\n",
    "zz\r\n",
    "0\r\n\r\n",
  ],
  ...["ffffffffffffffff\r\n", "\u0000\u0001", "5;chunk-signature=00\r\nhello\r\n", "a".repeat(70_000)],
);
const version = fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "");

const message = fc
  .tuple(method, target, version, fc.boolean(), fc.array(header, { maxLength: 6 }), body)
  .map(([verb, path, form, hasHost, headers, text]) => {
    const lines = [`${verb} ${path} ${form}`, ...(hasHost ? ["Host: x"] : []), ...headers];
    return `${lines.join("\r\n")}\r\n\r\n${text}`;
  });
const otherProtocol = fc.constantFrom(
  `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${"\u0000".repeat(9)}`,
  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0005\u0001\u0025\u0000\u0000\u0000\u0001abcde",
  "\u0016\u0003\u0001\u0002",
  "\r\n\r\n\r\n",
);

/** The bytes of one connection, where it is cut into two pieces, and whether its caller resets it then. */
export const rawMessages = fc
  .tuple(
    fc.oneof(
      { weight: 20, arbitrary: fc.array(message, { minLength: 1, maxLength: 3 }) },
      { weight: 1, arbitrary: fc.tuple(otherProtocol) },
    ),
    fc.nat(),
    fc.boolean(),
  )
  .map(([messages, place, isReset]) => {
    const bytes = Buffer.from(messages.join(""), "latin1");
    return { bytes, cut: place % (bytes.length + 1), isReset };
  });
