/** `/logout`, to which the web page of a data server with one key sends browsers (spec/exchange §9). */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ACCESS_KEYS, SECRET, startExchange } from "./start-exchange.ts";

async function signedIn({ userUrl }: { readonly userUrl: string }): Promise<string> {
  const [user = ""] = ACCESS_KEYS.keys();
  const answer = await fetch(`${userUrl}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ access_key_id: ACCESS_KEYS.get(user), secret_access_key: SECRET }),
  });
  return ((await answer.json()) as { readonly token: string }).token;
}

describe("the sign-out of a data server's page", () => {
  it("ends the token, and takes both cookies that hold it out of the browser", async () => {
    const authorizer = await closedAfterAll(startExchange("nginx"));
    const token = await signedIn(authorizer);
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

  it.each(["cross-site", "same-site"])(
    "ends nothing for a browser that a page of a %s host sends",
    async (site) => {
      const authorizer = await closedAfterAll(startExchange("nginx"));
      const token = await signedIn(authorizer);
      const out = await fetch(`${authorizer.userUrl}/logout`, {
        headers: { cookie: `access_token=${token}`, "sec-fetch-site": site },
        redirect: "manual",
      });
      expect([out.status, out.headers.get("location"), out.headers.getSetCookie()]).toEqual([303, "/", []]);
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`${authorizer.userUrl}/api/v1/user`, { headers })).status).toBe(200);
    },
  );

  it("is audited where nobody knows whether it happened", async () => {
    const audit = join(temporaryFolder(), "audit.jsonl");
    const authorizer = await closedAfterAll(startExchange("nginx", { "authorizer.audit.output": audit }));
    const token = await signedIn(authorizer);
    authorizer.directory.issuedSessions.endToken = async () => {
      throw new AuthorizerError("outcome_unknown", "nobody knows");
    };
    const headers = { cookie: `access_token=${token}` };
    expect((await fetch(`${authorizer.userUrl}/logout`, { headers, redirect: "manual" })).status).toBe(503);
    await expect.poll(() => readFileSync(audit, "utf8")).toMatch(/"event":"logout".*"outcome":"unknown"/);
  });
});
