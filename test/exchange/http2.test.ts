/** Clients of HTTP/2 behind each proxy, as deploy/exchange configures it with TLS on all sides (spec/exchange §6). */

import { once } from "node:events";
import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { missing, PROGRAM_NAMES } from "../gateways/proxy-program.ts";
import { SERVER_KEY } from "./one-key-server.ts";
import { basicOf, PROXY_TOKEN, S3_DOMAIN, signedBy } from "./start-exchange.ts";
import { type Sides, startSides } from "./start-sides.ts";
import { uploadOf } from "./streaming/uploads.ts";

const BRANCHES = "/api/v1/repositories/data/branches";
const BASIC = `Basic ${Buffer.from(`${SERVER_KEY.accessKeyId}:${SERVER_KEY.secret}`).toString("base64")}`;
const MAIN = { ":authority": "data.example.com" };

/** Headers of a signed request but the host, which is `:authority`. */
function signedHeaders(headers: readonly (readonly [string, string])[]): OutgoingHttpHeaders {
  return { ...Object.fromEntries(headers.filter(([name]) => name !== "host")), ":authority": S3_DOMAIN };
}

for (const name of PROGRAM_NAMES) {
  const why = missing(name);
  describe.skipIf(why !== undefined)(
    `behind ${name}, with one key, over HTTP/2${why === undefined ? "" : ` (${why})`}`,
    () => {
      let sides: Sides;
      let session: ClientHttp2Session;
      beforeAll(async () => {
        sides = await startSides(name, "https");
        session = connect(sides.url);
        await once(session, "connect");
      });
      afterAll(async () => {
        session?.destroy();
        await sides?.close();
      });
      beforeEach(() => {
        sides.dataServer.arrived.length = 0;
      });

      async function ask(
        method: string,
        path: string,
        headers: OutgoingHttpHeaders,
        body = Buffer.alloc(0),
      ): Promise<{ readonly status: number; readonly text: string }> {
        const endStream = body.length === 0;
        const request = session.request({ ":method": method, ":path": path, ...headers }, { endStream });
        if (!endStream) request.end(body);
        const [answer] = await once(request, "response");
        request.setEncoding("utf8");
        let text = "";
        for await (const piece of request) text += piece;
        return { status: Number(answer[":status"]), text };
      }

      it("the main API gets the one key, and nothing that the client forges", async () => {
        const forged = { "x-svc-user": "administrator", "x-svc-upstream-authorization": BASIC };
        const shown = { ...MAIN, ...forged, authorization: basicOf("writer"), te: "trailers" };
        expect((await ask("GET", BRANCHES, shown)).status).toBe(200);
        const [arrived] = sides.dataServer.served;
        const { host, authorization, "x-svc-user": user } = arrived?.headers ?? {};
        expect([host, authorization, user]).toEqual(["data.example.com", BASIC, "writer"]);
        expect(JSON.stringify(arrived?.rawHeaders)).not.toContain(PROXY_TOKEN);
      });

      it("who may not and nobody are refused, and nothing arrives", async () => {
        const other = BRANCHES.replace("data", "other");
        for (const [path, shown] of [
          [other, { authorization: basicOf("writer") }],
          [BRANCHES, {}],
          [BRANCHES, { authorization: BASIC }],
          ["/_forward_auth", { authorization: basicOf("writer") }],
        ] as const) {
          const { status, text } = await ask("GET", path, { ...MAIN, ...shown });
          expect([401, 403, 404], path).toContain(status);
          expect(text).not.toContain(SERVER_KEY.secret);
        }
        expect(sides.dataServer.arrived).toEqual([]);
      });

      it("S3 requests are signed anew for the host of the client", async () => {
        const { uri, headers } = signedBy("writer", "GET", "/data/main/a%20b%2Bc");
        expect((await ask("GET", uri, signedHeaders(headers))).status).toBe(200);
        expect(sides.dataServer.served.map(({ headers: { host } }) => host)).toEqual([S3_DOMAIN]);
        const presigned = signedBy("writer", "GET", "/data/main/a", { form: "presigned" });
        expect((await ask("GET", presigned.uri, { ":authority": S3_DOMAIN })).status).toBe(200);
        const foreign = signedBy("writer", "GET", "/other/main/a");
        expect((await ask("GET", foreign.uri, signedHeaders(foreign.headers))).status).toBe(403);
        expect(sides.dataServer.served).toHaveLength(2);
      });

      it("of two hosts none brings another request upstream than the one that was decided", async () => {
        const { uri, headers } = signedBy("writer", "GET", "/data/main/a");
        for (const [authority, host] of [
          ["data.example.com", S3_DOMAIN],
          [S3_DOMAIN, "data.example.com"],
          [`other.${S3_DOMAIN}`, S3_DOMAIN],
        ] as const) {
          const shown = { ...signedHeaders(headers), ":authority": authority, host };
          await ask("GET", uri, shown).catch(() => undefined);
        }
        // What arrived fits the signature of the one key, whose host is the one that was decided about.
        expect(sides.dataServer.arrived.filter(({ status }) => status !== 200)).toEqual([]);
        for (const { headers: arrived } of sides.dataServer.arrived) expect(arrived.host).toBe(S3_DOMAIN);
      });

      it("a body that is signed in chunks arrives unwrapped, and lists are filtered", async () => {
        const content = Buffer.alloc(200_000, "c");
        const { uri, headers, parts } = uploadOf("writer", content);
        const shown = { ...signedHeaders(headers) };
        expect((await ask("PUT", uri, shown, Buffer.concat(parts))).status).toBe(200);
        expect(sides.dataServer.served.at(-1)?.body.equals(content)).toBe(true);
        const { text } = await ask("GET", "/api/v1/repositories", {
          ...MAIN,
          authorization: basicOf("writer"),
        });
        expect(JSON.parse(text).results.map(({ id }: { id: string }) => id)).toEqual(["data"]);
      });
    },
  );
}
