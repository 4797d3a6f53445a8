/** Answers of a provider that never end: sign-ins read a bounded part of them (spec/security §5.3). */

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { Provider } from "../../src/sign-in/provider.ts";

const PIECE = Buffer.alloc(64 << 10, " ");
/** More than the service reads, and less than it would have in its memory otherwise. */
const MANY_BYTES = 64 << 20;
const CODE = { code: "code", redirectUri: "http://127.0.0.1/back", verifier: "verifier" };

let server: Server;
let written = 0;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Writes until nobody reads any more. */
async function writeEndlessly(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  response.write("{");
  const closed = once(response, "close");
  while (!response.destroyed && written < MANY_BYTES) {
    written += PIECE.length;
    if (response.write(PIECE)) await new Promise(setImmediate);
    else await Promise.race([once(response, "drain"), closed]);
  }
  response.end();
}

/** A provider whose answers to some paths do not end. */
async function startProvider(endless: (path: string) => boolean): Promise<Provider> {
  written = 0;
  server = createServer((request, response) => {
    const { url = "" } = request;
    if (endless(url)) void writeEndlessly(response);
    else {
      const at = issuerOf(server);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ issuer: at, jwks_uri: `${at}/keys`, token_endpoint: `${at}/token` }));
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return new Provider({
    issuer: {
      ...{ name: "corp", issuer: issuerOf(server), jwksUri: undefined, audience: ["client"] },
      ...{ algorithms: ["ES256"], clockTolerance: 0, requiredClaims: new Map() },
    } as never,
    way: { how: "openid_connect", issuer: "corp" } as never,
    clientId: "client",
    clientSecret: "secret",
    scopes: ["openid"],
    endSession: false,
  });
}

function issuerOf(one: Server): string {
  return `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
}

it.each(["/.well-known/openid-configuration", "/token"])("an endless answer of %s", async (path) => {
  const provider = await startProvider((asked) => asked === path);
  await expect(provider.claimsForCode(CODE)).rejects.toMatchObject({ reason: "provider_away" });
  expect(written).toBeGreaterThan(0);
  expect(written).toBeLessThan(MANY_BYTES);
});
