/** The state that the web page of a data server with one key is told, about signing in (spec/exchange §9). */

import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { startExchange } from "./start-exchange.ts";

const issuer = (name: string) => ({
  ...{ name, title: `${name} Ltd`, issuer: `http://127.0.0.1:9/${name}`, sign_in: true },
  ...{ client_id: "a", client_secret: "b" },
});

describe("the state for the data server's page", () => {
  it.each([
    [[], undefined, undefined],
    [["corp"], "/oidc/login?issuer=corp", "Sign in with corp Ltd"],
    [["corp", "partner"], "/oidc/login", "Sign in with an identity provider"],
  ])("leads people of %j to the identity provider", async (names, address, label) => {
    const authorizer = await closedAfterAll(
      startExchange("nginx", {
        "authorizer.oidc.issuers": names.map(issuer),
        "authorizer.sign_in.origins": ["http://127.0.0.1:8080"],
      }),
    );
    const answer = await fetch(`${authorizer.userUrl}/api/v1/setup_lakefs`);
    const state = (await answer.json()) as { state: string; login_config: Record<string, string> };
    expect(state.state).toBe("initialized");
    expect(state.login_config["logout_url"]).toBe("/logout");
    expect(state.login_config["fallback_login_url"]).toBe(address);
    expect(state.login_config["fallback_login_label"]).toBe(label);
  });
});
