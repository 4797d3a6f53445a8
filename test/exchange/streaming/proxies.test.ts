/** Uploads that are signed in chunks, through real proxies as deploy/exchange configures them (spec/exchange §6). */

import { randomBytes } from "node:crypto";
import type { TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { missing, PROGRAM_NAMES, type ProxyProgram, startProxy } from "../../gateways/proxy-program.ts";
import { portFor } from "../../gateways/start-behind-proxy.ts";
import { type OneKeyServer, startOneKeyServer } from "../one-key-server.ts";
import { numbers } from "../random-numbers.ts";
import { basicOf, PROXY_TOKEN, S3_DOMAIN, signedBy, startExchange } from "../start-exchange.ts";
import { damage } from "./damage.ts";
import { send, uploadOf } from "./uploads.ts";

const CONTENT = randomBytes(3_000_000);
/** A client shows no token of a proxy. */
const CLIENT = { "x-svc-proxy-token": undefined };

for (const name of PROGRAM_NAMES) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `behind ${name}, with one key, bodies signed in chunks${why === undefined ? "" : ` (${why})`}`,
    () => {
      let dataServer: OneKeyServer;
      let authorizer: TestAuthorizer;
      let proxy: ProxyProgram;
      let url: string;
      beforeAll(async () => {
        dataServer = await startOneKeyServer(["data", "other"]);
        authorizer = await startExchange(name, {
          "authorizer.exchange.streaming_address": "127.0.0.1:0",
          "authorizer.exchange.upstream": `http://127.0.0.1:${dataServer.port}`,
        });
        proxy = await startProxy(name, {
          dataServerPort: dataServer.port,
          authorizerPort: portFor(authorizer),
          streamingPort: Number(new URL(authorizer.streamingUrl as string).port),
          proxyToken: PROXY_TOKEN,
          exchange: true,
        });
        url = `http://127.0.0.1:${proxy.port}`;
      });
      afterAll(async () => {
        await proxy?.close();
        await authorizer?.close();
        await dataServer?.close();
      });
      beforeEach(() => {
        dataServer.arrived.length = 0;
      });

      it.each([undefined, "x-amz-checksum-crc32"])("arrive whole, with the trailer %s", async (trailer) => {
        const { status, text } = await send(url, uploadOf("writer", CONTENT, { trailer }), CLIENT);
        expect([status, text]).toEqual([200, ""]);
        expect(dataServer.served).toHaveLength(1);
        const [arrived] = dataServer.served;
        expect(arrived?.body.equals(CONTENT)).toBe(true);
        expect(arrived?.headers["x-svc-user"]).toBe("writer");
        expect(JSON.stringify(arrived?.rawHeaders)).not.toContain(PROXY_TOKEN);
      });

      it("and lists are filtered, and commits get a name, although the client forges one", async () => {
        const headers = {
          host: "data.example.com",
          authorization: basicOf("writer"),
          "content-type": "application/json",
        };
        const get = await fetch(`${url}/api/v1/repositories?amount=10`, { headers });
        const { results } = (await get.json()) as { results: { id: string }[] };
        expect(results.map(({ id }) => id)).toEqual(["data"]);
        const signed = signedBy("writer", "GET", "/");
        const buckets = await send(
          url,
          { method: "GET", uri: "/", headers: signed.headers, parts: [] },
          CLIENT,
        );
        expect(buckets.text).toContain("<Name>data</Name>");
        expect(buckets.text).not.toContain("other");
        const body = JSON.stringify({ message: "m", metadata: { "svc.user": "administrator" } });
        for (const path of ["branches/main/commits", "refs/dev/merge/main", "branches/a%2Fb/commits"]) {
          const target = `${url}/api/v1/repositories/data/${path}`;
          expect((await fetch(target, { method: "POST", headers, body })).status).toBe(200);
          expect(String(dataServer.served.at(-1)?.body)).toContain('"svc.user":"writer"');
        }
        // An encoded letter does not lead past the listener: the service refuses the path, or the proxy decodes it.
        dataServer.arrived.length = 0;
        const encoded = `${url}/api/v1/repositories/data/branches/main/%63ommits`;
        const { status } = await fetch(encoded, { method: "POST", headers, body });
        expect([200, 403]).toContain(status);
        for (const arrived of dataServer.arrived)
          expect(String(arrived.body)).toContain('"svc.user":"writer"');
        expect(JSON.stringify(dataServer.arrived)).not.toContain(PROXY_TOKEN);
      });

      it("and a bucket that the host names is listed, which is no list of buckets", async () => {
        for (const port of ["", ":8080"]) {
          const host = `data.${S3_DOMAIN}${port}`;
          const { uri, headers } = signedBy("writer", "GET", "/?list-type=2", { headers: { host } });
          const { status, text } = await send(url, { method: "GET", uri, headers, parts: [] }, CLIENT);
          expect([status, text]).toEqual([200, expect.stringContaining("<ListBucketResult>")]);
          expect(dataServer.served.at(-1)).toMatchObject({ target: uri, headers: { host } });
          const other = signedBy("writer", "GET", "/?list-type=2", {
            headers: { host: `other.${S3_DOMAIN}` },
          });
          const refused = { method: "GET", uri, headers: other.headers, parts: [] };
          expect((await send(url, refused, CLIENT)).status).toBe(403);
        }
        expect(dataServer.arrived).toHaveLength(2);
      });

      it("of who may not are refused, also with forged headers and the form in other letters", async () => {
        const upload = uploadOf("writer", CONTENT, { uri: "/other/main/a" });
        const forged = { ...CLIENT, "x-svc-user": "administrator", "x-forwarded-user": "administrator" };
        expect((await send(url, upload, forged)).status).toBe(403);
        const lower = "streaming-aws4-hmac-sha256-payload";
        expect((await send(url, upload, { ...CLIENT, "x-amz-content-sha256": lower })).status).toBe(403);
        expect(dataServer.arrived).toEqual([]);
      });

      it("that are damaged do not arrive, and the client is told", async () => {
        const next = numbers(1);
        for (let count = 0; count < 20; count++) {
          const { upload } = damage(uploadOf("writer", CONTENT.subarray(0, 50_000), { chunk: 9_000 }), next);
          expect([400, 403]).toContain((await send(url, upload, CLIENT)).status);
        }
        expect(dataServer.arrived).toEqual([]);
      });
    },
  );
}
