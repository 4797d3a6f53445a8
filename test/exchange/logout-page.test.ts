/** `/logout`, to which the web page of a data server with one key sends browsers (spec/exchange §9). */

import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { ACCESS_KEYS, SECRET, startExchange } from "./start-exchange.ts";

describe("the sign-out of a data server's page", () => {
  it("ends the token, and takes both cookies that hold it out of the browser", async () => {
    const authorizer = await closedAfterAll(startExchange("nginx"));
    const [user = ""] = ACCESS_KEYS.keys();
    const signedIn = await fetch(`${authorizer.userUrl}/api/v1/auth/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ access_key_id: ACCESS_KEYS.get(user), secret_access_key: SECRET }),
    });
    const { token } = (await signedIn.json()) as { readonly token: string };
    const out = await fetch(`${authorizer.userUrl}/logout`, {
      headers: { cookie: `access_token=${token}; internal_auth_session=of-the-same-token` },
      redirect: "manual",
    });
    expect(out.status).toBe(303);
    expect(out.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^access_token=; Max-Age=0/),
      "internal_auth_session=; Max-Age=0; Path=/",
    ]);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${authorizer.userUrl}/api/v1/user`, { headers })).status).toBe(401);
  });
});
