/** Requests as Amazon's own SDK signs and sends them, read off a socket. */

import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import * as s3 from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Identities } from "../../src/identity/identity.ts";
import type { MappedRequest } from "./naive-signer.ts";
import { HERE, openTestIdentities, outcomeOf, type TestIdentities } from "./test-identities.ts";

const CREDENTIALS = { accessKeyId: "AK-ALICE", secretAccessKey: "secret of AK-ALICE" };
const HOST = "s3.example.test";

let opened: TestIdentities;
let identities: Identities;
let server: Server;
let port: number;
const clients: s3.S3Client[] = [];
let received: MappedRequest[] = [];

/** A request as it was on the wire. */
function onTheWire({ method = "", url = "", rawHeaders }: IncomingMessage): MappedRequest {
  const headers = new Map<string, string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    const before = headers.get(name);
    headers.set(name, before === undefined ? rawHeaders[index + 1]! : `${before},${rawHeaders[index + 1]}`);
  }
  const mark = url.indexOf("?");
  const [path, query] = mark < 0 ? [url, ""] : [url.slice(0, mark), url.slice(mark + 1)];
  return { method, path, query, headers };
}

// Every host name leads here: buckets are below the host in one of the styles.
const agent = new Agent({
  lookup: (_host, options, answer) => {
    if (options.all) answer(null, [{ address: "127.0.0.1", family: 4 }]);
    else answer(null, "127.0.0.1", 4);
  },
});

function client(options: Partial<s3.S3ClientConfig> = {}): s3.S3Client {
  const made = new s3.S3Client({
    region: "us-east-1",
    endpoint: `http://${HOST}:${port}`,
    credentials: CREDENTIALS,
    forcePathStyle: true,
    maxAttempts: 1,
    requestHandler: { httpAgent: agent },
    ...options,
  });
  clients.push(made);
  return made;
}

beforeAll(async () => {
  opened = await openTestIdentities();
  identities = opened.open({ now: Date.now });
  server = createServer((request, response) => {
    received.push(onTheWire(request));
    request.resume();
    request.on("end", () =>
      response.writeHead(200, { etag: '"x"', "content-type": "application/xml" }).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
beforeEach(() => {
  received = [];
});
afterAll(async () => {
  for (const one of clients) one.destroy();
  agent.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await identities.close();
  await opened.close();
});

const verify = (request: MappedRequest): Promise<string> =>
  outcomeOf(() => identities.withSignature(request, HERE));

/** The one request that a command sends. What the server's empty answer means to the client does not matter. */
async function sent(send: Send, options: Partial<s3.S3ClientConfig> = {}): Promise<MappedRequest> {
  await send(client(options)).catch(() => undefined);
  expect(received).toHaveLength(1);
  return received[0]!;
}

const at = (Key: string) => ({ Bucket: "repo", Key });
const KEYS = [
  "main/plain.txt",
  "main/with blank/a b.txt",
  "main/plus+and=equals&more.txt",
  "main/unicode-äöü-日本-🦆.txt",
  "main/percent%20%2F%.txt",
  "main//double//slash",
  "main/./dot/../dots",
  "main/!'()*;:@$,[]{}|^`~\"<>#?",
  "main/trailing/",
  `main/${"long/".repeat(150)}`,
];

const MULTIPART = { ...at("main/big"), UploadId: "id/with+odd =chars" };
type Send = (to: s3.S3Client) => Promise<unknown>;
const COMMANDS: readonly (readonly [string, Send])[] = [
  ["ListBuckets", (to) => to.send(new s3.ListBucketsCommand({}))],
  ["HeadBucket", (to) => to.send(new s3.HeadBucketCommand({ Bucket: "repo" }))],
  [
    "ListObjectsV2",
    (to) =>
      to.send(
        new s3.ListObjectsV2Command({
          Bucket: "repo",
          Prefix: "main/a b+ü/",
          Delimiter: "/",
          MaxKeys: 7,
          StartAfter: "main/~*",
        }),
      ),
  ],
  [
    "ListObjects with a marker",
    (to) => to.send(new s3.ListObjectsCommand({ Bucket: "repo", Marker: "main/%41", EncodingType: "url" })),
  ],
  ["HeadObject", (to) => to.send(new s3.HeadObjectCommand(at("main/x")))],
  [
    "GetObject, a range",
    (to) => to.send(new s3.GetObjectCommand({ ...at("main/x"), Range: "bytes=0-9", IfNoneMatch: '"e"' })),
  ],
  [
    "PutObject with a text",
    (to) =>
      to.send(
        new s3.PutObjectCommand({
          ...at("main/x"),
          Body: "body",
          ContentType: "text/plain",
          Metadata: { note: "a  b", other: "c" },
        }),
      ),
  ],
  [
    "PutObject from a stream",
    (to) =>
      to.send(
        new s3.PutObjectCommand({
          ...at("main/x"),
          Body: Readable.from([Buffer.from("body")]),
          ContentLength: 4,
        }),
      ),
  ],
  [
    "PutObject with a checksum",
    (to) => to.send(new s3.PutObjectCommand({ ...at("main/x"), Body: "body", ChecksumAlgorithm: "SHA256" })),
  ],
  [
    "CopyObject",
    (to) => to.send(new s3.CopyObjectCommand({ ...at("main/copy"), CopySource: "/repo/main/a%20b" })),
  ],
  ["DeleteObject", (to) => to.send(new s3.DeleteObjectCommand(at("main/x")))],
  [
    "DeleteObjects",
    (to) =>
      to.send(new s3.DeleteObjectsCommand({ Bucket: "repo", Delete: { Objects: [{ Key: "main/x" }] } })),
  ],
  ["CreateMultipartUpload", (to) => to.send(new s3.CreateMultipartUploadCommand(at("main/big")))],
  ["UploadPart", (to) => to.send(new s3.UploadPartCommand({ ...MULTIPART, PartNumber: 1, Body: "part" }))],
  [
    "UploadPartCopy",
    (to) =>
      to.send(
        new s3.UploadPartCopyCommand({
          ...MULTIPART,
          PartNumber: 2,
          CopySource: "/repo/main/x",
          CopySourceRange: "bytes=0-1",
        }),
      ),
  ],
  ["ListParts", (to) => to.send(new s3.ListPartsCommand(MULTIPART))],
  [
    "CompleteMultipartUpload",
    (to) =>
      to.send(
        new s3.CompleteMultipartUploadCommand({
          ...MULTIPART,
          MultipartUpload: { Parts: [{ ETag: '"e"', PartNumber: 1 }] },
        }),
      ),
  ],
  ["AbortMultipartUpload", (to) => to.send(new s3.AbortMultipartUploadCommand(MULTIPART))],
];

describe.each([
  ["path", true],
  ["virtual host", false],
])("requests of the SDK in %s style", (style, forcePathStyle) => {
  it.each(COMMANDS)("%s", async (_name, command) => {
    expect(await verify(await sent(command, { forcePathStyle }))).toBe("alice");
  });

  it.each(KEYS)("an object named %j", async (key) => {
    const get = await sent((to) => to.send(new s3.GetObjectCommand(at(key))), { forcePathStyle });
    expect(get.headers.get("host")).toBe(style === "path" ? `${HOST}:${port}` : `repo.${HOST}:${port}`);
    expect(await verify(get)).toBe("alice");
    received = [];
    const put = await sent((to) => to.send(new s3.PutObjectCommand({ ...at(key), Body: "x" })), {
      forcePathStyle,
    });
    expect(await verify(put)).toBe("alice");
  });
});

describe("requests of the SDK", () => {
  it("that stream say so, and are taken by what is signed of them", async () => {
    const command = new s3.PutObjectCommand({
      ...at("main/x"),
      Body: Readable.from([Buffer.from("body")]),
      ContentLength: 4,
      ChecksumAlgorithm: "CRC32",
    });
    const request = await sent((to) => to.send(command));
    expect(request.headers.get("x-amz-content-sha256")).toBe("STREAMING-UNSIGNED-PAYLOAD-TRAILER");
    expect(await verify(request)).toBe("alice");
  });

  it.each<[string, Partial<s3.S3ClientConfig>, string]>([
    ["another secret", { credentials: { ...CREDENTIALS, secretAccessKey: "x" } }, "SignatureDoesNotMatch"],
    ["another key", { credentials: { ...CREDENTIALS, accessKeyId: "AK-NOBODY" } }, "InvalidAccessKeyId"],
    ["another region", { region: "eu-central-1" }, "AuthorizationHeaderMalformed"],
    ["a session token", { credentials: { ...CREDENTIALS, sessionToken: "t" } }, "AccessDenied"],
    ["a clock that is wrong", { systemClockOffset: 20 * 60_000 }, "RequestTimeTooSkewed"],
  ])("with %s are refused", async (_name, options, fault) => {
    const request = await sent((to) => to.send(new s3.GetObjectCommand(at("main/x"))), options);
    expect(await verify(request)).toBe(`unauthenticated ${fault}`);
  });
});

/** Fetches a URL as it is written: a parser of URLs would take the dots out of it. */
async function fetched(method: string, url: string): Promise<MappedRequest> {
  const [, host = "", path = ""] = /^http:\/\/([^/]+)(.*)$/.exec(url) ?? [];
  await new Promise<void>((resolve, reject) => {
    const options = { method, agent, host: HOST, port, path, headers: { host } };
    httpRequest(options, (response) => response.resume().on("end", resolve))
      .on("error", reject)
      .end();
  });
  return received.at(-1)!;
}

describe("presigned URLs of the SDK", () => {
  it.each(KEYS)("open the object named %j for the method they were made for", async (key) => {
    for (const forcePathStyle of [true, false]) {
      const get = await getSignedUrl(client({ forcePathStyle }), new s3.GetObjectCommand(at(key)));
      expect(await verify(await fetched("GET", get))).toBe("alice");
      expect(await verify(await fetched("DELETE", get))).toBe("unauthenticated SignatureDoesNotMatch");
    }
  });

  it("take an upload, with the headers that were signed and no other", async () => {
    const command = new s3.PutObjectCommand({ ...at("main/up load"), ContentType: "text/plain" });
    const url = await getSignedUrl(client(), command, {
      expiresIn: 60,
      signableHeaders: new Set(["content-type"]),
    });
    const request = await fetched("PUT", url);
    const withHeaders = (headers: Record<string, string>): MappedRequest => ({
      ...request,
      headers: new Map([...request.headers, ...Object.entries(headers)]),
    });
    expect(await verify(withHeaders({ "content-type": "text/plain" }))).toBe("alice");
    expect(await verify(withHeaders({ "content-type": "text/html" }))).toBe(
      "unauthenticated SignatureDoesNotMatch",
    );
    const copy = withHeaders({ "content-type": "text/plain", "x-amz-copy-source": "/repo/main/secret" });
    expect(await verify(copy)).toBe("unauthenticated AccessDenied");
  });

  it("expire", async () => {
    const late = opened.open({ now: () => Date.now() + 61_000 });
    const url = await getSignedUrl(client(), new s3.GetObjectCommand(at("main/x")), { expiresIn: 60 });
    const request = await fetched("GET", url);
    expect(await verify(request)).toBe("alice");
    expect(await outcomeOf(() => late.withSignature(request, HERE))).toBe("unauthenticated AccessDenied");
    late.close();
  });
});
