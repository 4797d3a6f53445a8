/** Session cookies of a data server at the proxy. */

import { SignJWT } from "jose";
import { type SessionCookieName, sealSession } from "../../../src/identity/session-cookies/sealed-cookie.ts";
import { type Bed, SECRET_KEY } from "./bed.ts";
import { type Cases, later, type Shown, twice } from "./calls.ts";
import { askProxy } from "./program-ways.ts";

const KEY = Buffer.from(SECRET_KEY);
const DAY = 86_400;
const now = () => Math.floor(Date.now() / 1_000);

/** A login token as a data server issues it. */
function tokenFor(sub: string, audience = "login"): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256" })
    .setAudience(audience)
    .setSubject(sub)
    .setJti("of-the-data-server")
    .setIssuedAt(now() + 1)
    .setExpirationTime(now() + 3_600)
    .sign(KEY);
}

/** The cases. */
export function sessionCookies({ here, away }: Bed): Cases {
  const pass = (name: SessionCookieName, value: string | undefined, at = here): Promise<Shown> =>
    askProxy(at, { cookie: `${name}=${value}` }, [value ?? ""]);
  const internal = async (user: string, { key = KEY, at = here, audience = "login" } = {}) => {
    const name = "internal_auth_session";
    const token = await tokenFor(user, audience);
    return pass(name, sealSession(name, { key: "token", token }, { key, issuedAt: now() }), at);
  };
  const oidc = (sub: string, age = -1) => {
    const name = "oidc_auth_session";
    const value = { key: "id_token_claims", claims: new Map([["sub", sub]]) } as const;
    return pass(name, sealSession(name, value, { key: KEY, issuedAt: now() - age }));
  };
  return {
    "a session with a login token": () => internal("alice"),
    "a session with claims": () => oidc("elsewhere:linked"),
    "a session of another key": () =>
      internal("alice", { key: Buffer.from("the key of another installation") }),
    "a session with a token that is over": async () => {
      const name = "internal_auth_session";
      const token = await tokenFor("alice");
      return later(2 * 3_600, () =>
        pass(name, sealSession(name, { key: "token", token }, { key: KEY, issuedAt: now() })),
      );
    },
    "a session that is older than a day": () => oidc("elsewhere:linked", DAY + 60),
    "a session once more": () => twice(() => internal("alice")),
    "a session with the token of a service": () => internal("alice", { audience: "auth-client" }),
    "a session with an id of another provider": () => oidc("another:linked"),
    "a session of nobody": () => internal("nobody"),
    "a session of an inactive user": () => internal("off"),
    "a session of an administrator": () => internal("boss"),
    "a session while no provider answers": () => internal("alice", { at: away }),
  };
}
