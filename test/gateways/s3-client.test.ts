import { Agent } from "node:http";
import { Readable } from "node:stream";
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { missing, PROGRAM_NAMES, type ProxyProgram, startProxy } from "./proxy-program.ts";
import { type StandIn, startStandIn } from "./stand-in.ts";
import {
  ACCESS_KEYS,
  PROXY_TOKEN,
  portFor,
  S3_DOMAIN,
  SECRET,
  startBehindProxy,
} from "./start-behind-proxy.ts";

const BUCKET = "data";
const PART = 5 * 1024 * 1024;

/** Keys that are written differently in targets, signatures and ARNs. */
const ODD_KEYS = ["a b", "a+b", "ä/ö", "a//b", "a%2Fb", "a&b=c", "a'(b)*!", "a:b@c,d;e", "日本", "trailing/"];

for (const name of PROGRAM_NAMES) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `AWS's S3 client behind ${name}${why === undefined ? "" : ` (${why})`}`,
    () => {
      let dataServer: StandIn;
      let authorizer: TestAuthorizer;
      let proxy: ProxyProgram;
      beforeAll(async () => {
        dataServer = await startStandIn();
        authorizer = await startBehindProxy(name);
        const authorizerPort = portFor(authorizer);
        proxy = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort,
          proxyToken: PROXY_TOKEN,
        });
      });
      afterAll(async () => {
        await proxy?.close();
        await authorizer?.close();
        await dataServer?.close();
      });
      beforeEach(() => {
        dataServer.reached.length = 0;
      });

      function client(user: string, changes: Partial<S3ClientConfig> = {}): S3Client {
        return new S3Client({
          endpoint: `http://127.0.0.1:${proxy.port}`,
          region: "us-east-1",
          forcePathStyle: true,
          maxAttempts: 1,
          credentials: { accessKeyId: ACCESS_KEYS.get(user) as string, secretAccessKey: SECRET },
          ...changes,
        });
      }

      const at = (Key: string) => ({ Bucket: BUCKET, Key });
      const full = "jürgen müller";
      /** Name and status of an error of the client. */
      const refusedAs = (code: string) =>
        expect.objectContaining({ name: code, $metadata: expect.objectContaining({ httpStatusCode: 403 }) });

      // Traefik does not tell the length that this client signs with a body (docs/gateways.md).
      if (name === "traefik") {
        it("is refused where it signs a length that the proxy does not tell", async () => {
          const put = new PutObjectCommand({ ...at("main/a"), Body: "content" });
          await expect(client("writer").send(put)).rejects.toEqual(refusedAs("SignatureDoesNotMatch"));
          expect(dataServer.reached).toEqual([]);
          await client("writer").send(new GetObjectCommand(at("main/a//b")));
          expect(dataServer.reached.map(({ target }) => target)).toEqual(["/data/main/a//b?x-id=GetObject"]);
        });
      } else uploading();

      function uploading(): void {
        it("may put, get, look at, list, copy and delete", async () => {
          const s3 = client("writer");
          await s3.send(new PutObjectCommand({ ...at("main/a"), Body: "content" }));
          const got = await s3.send(new GetObjectCommand(at("main/a")));
          expect(await got.Body?.transformToString()).toBe("content");
          await s3.send(new HeadObjectCommand(at("main/a")));
          await s3.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix: "main/x", Delimiter: "/" }));
          await s3.send(new CopyObjectCommand({ ...at("main/b"), CopySource: "data/main/a" }));
          await s3.send(new DeleteObjectCommand(at("main/b")));
          expect(dataServer.reached.map(({ method }) => method)).toEqual([
            "PUT",
            "GET",
            "HEAD",
            "GET",
            "PUT",
            "DELETE",
          ]);
          expect(dataServer.reached.every(({ headers }) => headers["x-svc-user"] === "writer")).toBe(true);
        });

        it("may delete many objects and list buckets where a policy covers all", async () => {
          const s3 = client(full);
          await s3.send(
            new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects: [{ Key: "main/a" }] } }),
          );
          await s3.send(new ListBucketsCommand({}));
          expect(dataServer.reached).toHaveLength(2);
          const limited = client("writer");
          const many = new DeleteObjectsCommand({ Bucket: BUCKET, Delete: { Objects: [{ Key: "main/a" }] } });
          await expect(limited.send(many)).rejects.toEqual(refusedAs("AccessDenied"));
          await expect(limited.send(new ListBucketsCommand({}))).rejects.toEqual(refusedAs("AccessDenied"));
          expect(dataServer.reached).toHaveLength(2);
        });

        it("may upload in parts, with checksums in trailers", async () => {
          const body = Readable.from([Buffer.alloc(PART, 1), Buffer.alloc(PART, 2), Buffer.alloc(1000, 3)]);
          await new Upload({
            client: client("writer"),
            params: { ...at("main/large"), Body: body },
            partSize: PART,
          }).done();
          const [first, ...others] = dataServer.reached;
          expect(first?.target).toContain("uploads");
          expect(others).toHaveLength(4);
          expect(others.reduce((sum, { bytes }) => sum + bytes, 0)).toBeGreaterThan(2 * PART);
        });

        it.each(ODD_KEYS)("may use the key %j", async (key) => {
          const s3 = client("writer");
          await s3.send(new PutObjectCommand({ ...at(`main/${key}`), Body: "x" }));
          const url = await getSignedUrl(s3, new GetObjectCommand(at(`main/${key}`)), { expiresIn: 60 });
          expect((await fetch(url)).status).toBe(200);
          expect(dataServer.reached).toHaveLength(2);
        });

        it("may address the bucket in the host", async () => {
          const agent = new Agent({
            lookup: (_host, _options, done) => done(null, [{ address: "127.0.0.1", family: 4 }] as never),
          });
          const s3 = client("writer", {
            endpoint: `http://${S3_DOMAIN}:${proxy.port}`,
            forcePathStyle: false,
            requestHandler: { httpAgent: agent },
          });
          await s3.send(new PutObjectCommand({ ...at("main/v"), Body: "x" }));
          await expect(s3.send(new PutObjectCommand({ ...at("main/secret/v"), Body: "x" }))).rejects.toEqual(
            refusedAs("AccessDenied"),
          );
          agent.destroy();
          expect(dataServer.reached.map(({ headers }) => headers.host)).toEqual([
            `data.${S3_DOMAIN}:${proxy.port}`,
          ]);
        });
      }

      it("may use presigned URLs, as they were signed and not otherwise", async () => {
        const s3 = client("writer");
        const put = await getSignedUrl(s3, new PutObjectCommand(at("main/p")), { expiresIn: 60 });
        expect((await fetch(put, { method: "PUT", body: "x" })).status).toBe(200);
        expect(dataServer.reached).toHaveLength(1);
        const copy = new CopyObjectCommand({ ...at("main/b"), CopySource: "data/main/secret/a" });
        await expect(s3.send(copy)).rejects.toEqual(refusedAs("AccessDenied"));
        const copying = { method: "PUT", headers: { "x-amz-copy-source": "data/main/secret" } };
        expect((await fetch(put, copying)).status).toBe(403);
        expect((await fetch(put)).status).toBe(403);
        expect((await fetch(put.replace("/main/p", "/main/q"), { method: "PUT", body: "x" })).status).toBe(
          403,
        );
        expect((await fetch(`${put}&partNumber=1`, { method: "PUT", body: "x" })).status).toBe(403);
        const expired = await getSignedUrl(s3, new GetObjectCommand(at("main/p")), {
          expiresIn: 1,
          signingDate: new Date(Date.now() - 60_000),
        });
        expect((await fetch(expired)).status).toBe(403);
        expect(dataServer.reached).toHaveLength(1);
      });

      it("is refused with the errors of S3", async () => {
        const get = (Key: string) => new GetObjectCommand(at(Key));
        const wrong = { accessKeyId: ACCESS_KEYS.get("writer") as string, secretAccessKey: "wrong" };
        await expect(client("writer").send(get("main/secret/x"))).rejects.toEqual(refusedAs("AccessDenied"));
        await expect(client("nobody-much").send(get("main/a"))).rejects.toEqual(refusedAs("AccessDenied"));
        await expect(client("writer", { credentials: wrong }).send(get("main/a"))).rejects.toEqual(
          refusedAs("SignatureDoesNotMatch"),
        );
        await expect(
          client("writer", { systemClockOffset: -20 * 60_000 }).send(get("main/a")),
        ).rejects.toEqual(refusedAs("RequestTimeTooSkewed"));
        const unknown = { accessKeyId: "AKIAJXXXXXXXXXXXXXXQ", secretAccessKey: SECRET };
        await expect(client("writer", { credentials: unknown }).send(get("main/a"))).rejects.toEqual(
          refusedAs("InvalidAccessKeyId"),
        );
        await expect(client("writer", { region: "eu-west-1" }).send(get("main/a"))).rejects.toEqual(
          expect.objectContaining({ $metadata: expect.objectContaining({ httpStatusCode: 403 }) }),
        );
        const temporary = { ...wrong, secretAccessKey: SECRET, sessionToken: "t" };
        await expect(client("writer", { credentials: temporary }).send(get("main/a"))).rejects.toThrow();
        expect(dataServer.reached).toEqual([]);
      });

      it("is refused from the request on that follows the revocation of its key", async () => {
        const s3 = client("leaver");
        await s3.send(new HeadObjectCommand(at("main/a")));
        await authorizer.directory.credentials.delete("leaver", ACCESS_KEYS.get("leaver") as string);
        await expect(s3.send(new GetObjectCommand(at("main/a")))).rejects.toEqual(
          refusedAs("InvalidAccessKeyId"),
        );
        expect(dataServer.reached).toHaveLength(1);
      });
    },
  );
}
