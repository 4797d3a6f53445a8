/** An issuer of tokens on this machine: a real HTTP server with keys that can be changed. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";

/** A key pair with the algorithm and the id of the issuer. */
export interface IssuerKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** Makes a key pair. */
export async function newKey(kid: string, alg = "RS256"): Promise<IssuerKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } };
}

/** A running issuer. */
export class TestIssuer {
  /** The keys that it publishes. */
  keys: readonly IssuerKey[] = [];
  /** Requests so far, by path. */
  readonly requests: string[] = [];
  /** Writes another answer, where a test sets it. */
  answer: ((path: string) => { status: number; body: string; headers?: Record<string, string> }) | undefined;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Starts an issuer with one key. */
  static async start(key: IssuerKey, port = 0): Promise<TestIssuer> {
    const server = createServer();
    const issuer = new TestIssuer(server);
    issuer.keys = [key];
    server.on("request", (request, response) => {
      issuer.requests.push(request.url ?? "");
      const documents = new Map<string, unknown>([
        ["/.well-known/openid-configuration", { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` }],
        ["/keys", { keys: issuer.keys.map(({ publicJwk }) => publicJwk) }],
      ]);
      const body = documents.get(request.url ?? "");
      const given = issuer.answer?.(request.url ?? "") ?? {
        status: body === undefined ? 404 : 200,
        body: JSON.stringify(body ?? {}),
      };
      response
        .writeHead(given.status, { "content-type": "application/json", ...given.headers })
        .end(given.body);
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** A token of this issuer for zoe; claims that are undefined are left out. */
  token(claims: JWTPayload = {}, { key = this.keys[0] as IssuerKey, header = {} } = {}): Promise<string> {
    const now = Math.floor(Date.now() / 1_000);
    const all = { iss: this.url, aud: "authorizer", sub: "zoe", iat: now, exp: now + 300, ...claims };
    const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    return new SignJWT(payload)
      .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
      .sign(key.privateKey);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
