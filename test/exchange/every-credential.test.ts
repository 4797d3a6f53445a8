/**
 * Each proxy, as deploy/exchange configures it: every kind of credential of the main API, and the operations of S3 with the
 * bucket in the path and in the host, allowed and refused. What arrives has the one key, and nothing else does.
 */

import { Agent } from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { LookupFunction } from "node:net";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { missing, PROGRAM_NAMES } from "../gateways/proxy-program.ts";
import { type OneKeyServer, SERVER_KEY } from "./one-key-server.ts";
import { ACCESS_KEYS, basicOf, S3_DOMAIN, SECRET } from "./start-exchange.ts";
import { type Sides, startSides } from "./start-sides.ts";

const KEY = "main/a b+ä";
const BASIC = `Basic ${Buffer.from(`${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`).toString("base64")}`;

interface Operation {
  readonly name: string;
  readonly send: (s3: S3Client, bucket: string) => Promise<unknown>;
  /** Traefik does not tell the length that this client signs with a body (docs/gateways.md). */
  readonly withBody?: true;
  /** Keys in a body are not seen: it needs the right to all (docs/gateways.md). */
  readonly forAdministrators?: true;
}

const OPERATIONS: readonly Operation[] = [
  { name: "HeadBucket", send: (s3, Bucket) => s3.send(new HeadBucketCommand({ Bucket })) },
  { name: "ListObjects", send: (s3, Bucket) => s3.send(new ListObjectsCommand({ Bucket, Prefix: "main/" })) },
  {
    name: "ListObjectsV2",
    send: (s3, Bucket) => s3.send(new ListObjectsV2Command({ Bucket, Prefix: "main/x y", Delimiter: "/" })),
  },
  { name: "GetObject", send: (s3, Bucket) => s3.send(new GetObjectCommand({ Bucket, Key: KEY })) },
  {
    name: "GetObject with a range",
    send: (s3, Bucket) => s3.send(new GetObjectCommand({ Bucket, Key: KEY, Range: "bytes=0-1" })),
  },
  { name: "HeadObject", send: (s3, Bucket) => s3.send(new HeadObjectCommand({ Bucket, Key: KEY })) },
  {
    name: "PutObject",
    withBody: true,
    send: (s3, Bucket) =>
      s3.send(new PutObjectCommand({ Bucket, Key: KEY, Body: "content", Metadata: { a: "b  c" } })),
  },
  {
    name: "CopyObject",
    send: (s3, Bucket) =>
      s3.send(new CopyObjectCommand({ Bucket, Key: KEY, CopySource: `${Bucket}/main/a` })),
  },
  { name: "DeleteObject", send: (s3, Bucket) => s3.send(new DeleteObjectCommand({ Bucket, Key: KEY })) },
  {
    name: "DeleteObjects",
    withBody: true,
    forAdministrators: true,
    send: (s3, Bucket) => s3.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: KEY }] } })),
  },
  {
    name: "CreateMultipartUpload",
    send: (s3, Bucket) => s3.send(new CreateMultipartUploadCommand({ Bucket, Key: KEY })),
  },
  {
    name: "UploadPart",
    withBody: true,
    send: (s3, Bucket) =>
      s3.send(new UploadPartCommand({ Bucket, Key: KEY, UploadId: "u", PartNumber: 1, Body: "part" })),
  },
  {
    name: "UploadPartCopy",
    send: (s3, Bucket) =>
      s3.send(
        new UploadPartCopyCommand({
          ...{ Bucket, Key: KEY, UploadId: "u", PartNumber: 1, CopySource: `${Bucket}/main/a` },
        }),
      ),
  },
  {
    name: "CompleteMultipartUpload",
    withBody: true,
    send: (s3, Bucket) =>
      s3.send(
        new CompleteMultipartUploadCommand({
          ...{ Bucket, Key: KEY, UploadId: "u", MultipartUpload: { Parts: [{ PartNumber: 1, ETag: "e" }] } },
        }),
      ),
  },
  {
    name: "AbortMultipartUpload",
    send: (s3, Bucket) => s3.send(new AbortMultipartUploadCommand({ Bucket, Key: KEY, UploadId: "u" })),
  },
];

/** Reach every host below the S3 domain on loopback. */
const lookup: LookupFunction = (_host, _options, done) =>
  done(null, [{ address: "127.0.0.1", family: 4 }] as never);
const requestHandler = {
  httpAgent: new Agent({ lookup }),
  // The certificate is of one host.
  httpsAgent: new TlsAgent({ lookup, checkServerIdentity: () => undefined }),
};

const cases = PROGRAM_NAMES.flatMap((name) =>
  (["http", "https"] as const).map((scheme) => ({ name, scheme })),
);

for (const { name, scheme } of cases) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `behind ${name}, with one key, every credential over ${scheme}${why === undefined ? "" : ` (${why})`}`,
    () => {
      let sides: Sides;
      let dataServer: OneKeyServer;
      let authorizer: TestAuthorizer;
      beforeAll(async () => {
        sides = await startSides(name, scheme);
        ({ dataServer, authorizer } = sides);
      });
      afterAll(() => sides?.close());
      beforeEach(() => {
        dataServer.arrived.length = 0;
      });

      const client = (user: string, forcePathStyle: boolean) =>
        new S3Client({
          endpoint: `${scheme}://${forcePathStyle ? "127.0.0.1" : S3_DOMAIN}:${sides.proxyPort}`,
          region: "us-east-1",
          forcePathStyle,
          maxAttempts: 1,
          credentials: { accessKeyId: ACCESS_KEYS.get(user) as string, secretAccessKey: SECRET },
          requestHandler: requestHandler as never,
        });

      async function loginToken(): Promise<string> {
        const login = await fetch(`${authorizer.userUrl}/api/v1/auth/login`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ access_key_id: ACCESS_KEYS.get("writer"), secret_access_key: SECRET }),
        });
        return ((await login.json()) as { token: string }).token;
      }

      it.each(["Basic", "Bearer", "cookie"])("%s of a user: the main API gets the one key", async (kind) => {
        const token = await loginToken();
        const shown = {
          Basic: { authorization: basicOf("writer") },
          Bearer: { authorization: `Bearer ${token}` },
          cookie: { cookie: `access_token=${token}` },
        }[kind] as Record<string, string>;
        const statusOf = async (repository: string) => {
          const target = `${sides.url}/api/v1/repositories/${repository}/branches`;
          return (await fetch(target, { headers: shown })).status;
        };
        expect(await statusOf("data")).toBe(200);
        expect(dataServer.served.map(({ headers }) => [headers.authorization, headers.cookie])).toEqual([
          [BASIC, undefined],
        ]);
        expect(await statusOf("other")).toBe(403);
        expect(dataServer.arrived).toHaveLength(1);
      });

      for (const style of ["path", "host"] as const) {
        it.each(OPERATIONS)(`$name with the bucket in the ${style}`, async (operation) => {
          if (name === "traefik" && operation.withBody === true) return;
          const user = operation.forAdministrators === true ? "administrator" : "writer";
          await operation.send(client(user, style === "path"), "data");
          expect(dataServer.served).toHaveLength(1);
          expect(dataServer.arrived).toHaveLength(1);
          const [arrived] = dataServer.served;
          expect(arrived?.headers["x-svc-user"]).toBe(user);
          expect(JSON.stringify(arrived?.rawHeaders)).not.toContain(ACCESS_KEYS.get(user));
          const stranger = client("writer", style === "path");
          await expect(operation.send(stranger, "other")).rejects.toMatchObject({
            $metadata: { httpStatusCode: 403 },
          });
          expect(dataServer.arrived).toHaveLength(1);
        });
      }
    },
  );
}
