/** A real OpenID provider (oidc-provider) in this process: who signs in and what the claims say, a test decides. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

/** The client that the service is there. */
export const CLIENT = { id: "svc-authorizer", secret: "a-secret-of-the-client-of-one-test" } as const;

/** A provider that listens. */
export interface TestProvider {
  readonly issuer: string;
  /** Claims of the person who signs in next, `sub` among them. */
  claims: Readonly<Record<string, unknown>>;
  /** True: the person cancels. */
  cancels: boolean;
  close(): Promise<void>;
}

/** Starts it. */
export async function startProvider(
  redirectUris: readonly string[],
  more: Partial<Configuration> = {},
): Promise<TestProvider> {
  let handle: ReturnType<Provider["callback"]> | undefined;
  const server: Server = createServer((request, response) => void handle?.(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: { claims: Readonly<Record<string, unknown>>; cancels: boolean } = {
    claims: { sub: "nobody" },
    cancels: false,
  };
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [...redirectUris],
        post_logout_redirect_uris: redirectUris.map((uri) => new URL("/login", uri).href),
        response_types: ["code"],
        grant_types: ["authorization_code"],
      },
    ],
    cookies: { keys: ["a-key-of-one-test"] },
    claims: { openid: ["sub", "groups", "teams", "department", "name", "preferred_username", "oid"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, sub) => {
      const claims = { ...state.claims, sub };
      return { accountId: sub, claims: () => claims };
    },
    loadExistingGrant: async (context) => {
      const grant = new context.oidc.provider.Grant({
        clientId: context.oidc.client?.clientId ?? "",
        accountId: context.oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid profile email");
      await grant.save();
      return grant;
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ...more,
  } as Configuration);
  const pass = provider.callback();
  handle = async (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return pass(request, response);
    const result = state.cancels
      ? { error: "access_denied", error_description: "cancelled" }
      : { login: { accountId: String(state.claims["sub"]) } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
  return Object.assign(state, {
    issuer,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}
