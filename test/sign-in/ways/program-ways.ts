/** Programs: token exchange, AssumeRoleWithWebIdentity, tokens at the proxy, and identities of AWS. */

import { identityBody, identityRequest, presignIdentity } from "../../identity/aws-iam/sts-stand-in.ts";
import { newKey } from "../../identity/oidc/issuer.ts";
import { awsCaller, type Bed, SERVER_ID } from "./bed.ts";
import { type Cases, ofToken, postForm, postJson, type Shown, twice, whoIs } from "./calls.ts";

type Service = Bed["here"];
type Claims = Readonly<Record<string, unknown>>;

const passed = () => Math.floor(Date.now() / 1_000) - 300;

/** Tokens of the two issuers, and others. */
function tokensOf({ people, cluster, gone }: Bed) {
  const ofPeople = (sub: string, claims: Claims = {}) => people.token({ sub, tenant: "ours", ...claims });
  const ofCluster = (user: string, claims: Claims = {}) =>
    cluster.token({
      sub: `system:serviceaccount:data:${user}`,
      "kubernetes.io": { namespace: "data" },
      ...claims,
    });
  return {
    ofPeople,
    ofCluster,
    /** In the name of the issuer, signed by another key. */
    forged: async () => people.token({ sub: "alice", tenant: "ours" }, { key: await newKey("people") }),
    ofStranger: () => ofPeople("alice", { iss: "https://id.stranger.example.com" }),
    ofAnother: () => cluster.token({ iss: people.url, sub: "alice", tenant: "ours" }),
    ofAway: () => people.token({ iss: `${gone}/people`, sub: "alice", tenant: "ours" }),
  };
}

/** Token exchange (RFC 8693). */
export function tokenExchange(bed: Bed): Cases {
  const { ofPeople, ofCluster, ...others } = tokensOf(bed);
  const exchange = async (token: string, at: Service = bed.here, more: Record<string, string> = {}) => {
    const type = "urn:ietf:params:oauth:token-type:jwt";
    const grant_type = "urn:ietf:params:oauth:grant-type:token-exchange";
    const form = { grant_type, subject_token: token, subject_token_type: type, ...more };
    return ofToken(at.userUrl, await postForm(`${at.userUrl}/oauth2/token`, form), [token]);
  };
  return {
    "a token of a person": async () => exchange(await ofPeople("alice")),
    "a token of a program, for a key": async () =>
      exchange(await ofCluster("alice"), bed.here, {
        requested_token_type: "urn:svc-authorizer:token-type:access_key",
      }),
    "a token of another key": async () => exchange(await others.forged()),
    "a token without a required claim": async () => exchange(await ofPeople("alice", { tenant: "theirs" })),
    "a token that is over": async () => exchange(await ofPeople("alice", { exp: passed() })),
    "a token once more": async () => {
      const token = await ofPeople("alice");
      return twice(() => exchange(token));
    },
    "a token for another audience": async () => exchange(await ofPeople("alice", { aud: "another" })),
    "a token of an issuer that nobody trusts": async () => exchange(await others.ofStranger()),
    "a token of one issuer in the name of another": async () => exchange(await others.ofAnother()),
    "a token of nobody": async () => exchange(await ofPeople("nobody")),
    "a token of an inactive user": async () => exchange(await ofPeople("off")),
    "a token with the name of an administrator": async () => exchange(await ofPeople("boss")),
    "a token that an entry names an administrator for": async () => exchange(await ofCluster("boss")),
    "a token while the issuer is not there": async () => exchange(await others.ofAway(), bed.away),
  };
}

/** AssumeRoleWithWebIdentity. */
export function webIdentity(bed: Bed): Cases {
  const { ofPeople, ofCluster, ...others } = tokensOf(bed);
  const assume = async (token: string, user = "alice", at: Service = bed.here): Promise<Shown> => {
    const { status, text } = await postForm(`${at.userUrl}/sts`, {
      Action: "AssumeRoleWithWebIdentity",
      RoleArn: `arn:svc:auth:::user/${user}`,
      RoleSessionName: "job",
      WebIdentityToken: token,
    });
    const element = (name: string) => new RegExp(`<${name}>([^<]*)</`).exec(text)?.[1] ?? "";
    const secrets = [token, element("SecretAccessKey"), element("SessionToken")];
    const basic = Buffer.from(`${element("AccessKeyId")}:${element("SecretAccessKey")}`).toString("base64");
    const in_ = await whoIs(at.userUrl, { authorization: `Basic ${basic}` });
    return { status, text, user: element("AccessKeyId") === "" ? undefined : in_, secrets };
  };
  return {
    "a token of a person": async () => assume(await ofPeople("alice")),
    "a token of a program": async () => assume(await ofCluster("alice")),
    "a token of another key": async () => assume(await others.forged()),
    "a token of somebody else": async () => assume(await ofPeople("linked")),
    "a token that is over": async () => assume(await ofPeople("alice", { exp: passed() })),
    "a token once more": async () => {
      const token = await ofPeople("alice");
      return twice(() => assume(token));
    },
    "a token for another audience": async () => assume(await ofPeople("alice", { aud: "another" })),
    "a token of an issuer that nobody trusts": async () => assume(await others.ofStranger()),
    "a token of one issuer in the name of another": async () => assume(await others.ofAnother()),
    "a token of nobody": async () => assume(await ofPeople("nobody"), "nobody"),
    "a token of an inactive user": async () => assume(await ofPeople("off"), "off"),
    "a token with the name of an administrator": async () => assume(await ofPeople("boss"), "boss"),
    "a token that an entry names an administrator for": async () => assume(await ofCluster("boss"), "boss"),
    "a token while the issuer is not there": async () => assume(await others.ofAway(), "alice", bed.away),
  };
}

/** Tokens of issuers at the proxy. */
export function bearer(bed: Bed): Cases {
  const { ofPeople, ofCluster: _, ...others } = tokensOf(bed);
  const pass = (token: string, at: Service = bed.here) =>
    askProxy(at, { authorization: `Bearer ${token}` }, [token]);
  return {
    "a token": async () => pass(await ofPeople("alice")),
    "a token of another key": async () => pass(await others.forged()),
    "a token that is over": async () => pass(await ofPeople("alice", { exp: passed() })),
    "a token once more": async () => {
      const token = await ofPeople("alice");
      return twice(() => pass(token));
    },
    "a token for another audience": async () => pass(await ofPeople("alice", { aud: "another" })),
    "a token of an issuer that nobody trusts": async () => pass(await others.ofStranger()),
    "a token of one issuer in the name of another": async () => pass(await others.ofAnother()),
    "a token of nobody": async () => pass(await ofPeople("nobody")),
    "a token of an inactive user": async () => pass(await ofPeople("off")),
    "a token with the name of an administrator": async () => pass(await ofPeople("boss")),
    "a token while the issuer is not there": async () => pass(await others.ofAway(), bed.away),
  };
}

/** Asks whether a read may pass, as nginx does. */
export async function askProxy(
  at: Service,
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[],
): Promise<Shown> {
  const answer = await fetch(`${at.url}/forward-auth`, {
    headers: {
      "x-original-method": "GET",
      "x-original-uri": "/api/v1/repositories/data",
      "x-original-host": "data.example.com",
      ...headers,
    },
  });
  const text = await answer.text();
  const user = answer.status === 200 ? (answer.headers.get("x-svc-user") ?? undefined) : undefined;
  return { status: answer.status, text, user, secrets };
}

type Signing = Partial<Parameters<typeof presignIdentity>[1]>;

/** Identities of AWS that programs show, wherever they go. */
function awsCases(bed: Bed, show: (parts: Claims, at: Service) => Promise<Shown>): Cases {
  const signedBy = (user: string, more: Signing = {}, secret?: string, host = bed.sts.host) => {
    const caller = { ...awsCaller(user), ...(secret !== undefined && { secret }) };
    const of = { host, serverId: SERVER_ID, at: Date.now(), ...more };
    return identityRequest(presignIdentity(caller, of));
  };
  const login = async (parts: Claims, at = bed.here): Promise<Shown> => {
    const shown = await show(parts, at);
    return { ...shown, secrets: [...shown.secrets, String(parts["signature"])] };
  };
  return {
    "a role": () => login(signedBy("alice")),
    "a role with another secret": () => login(signedBy("alice", {}, "a guessed secret")),
    "a role, signed 11 minutes ago": () => login(signedBy("alice", { at: Date.now() - 660_000 })),
    "a role once more": () => {
      const parts = signedBy("alice");
      return twice(() => login(parts));
    },
    "a role, signed for another server": () => login(signedBy("alice", { serverId: "other.example.com" })),
    "a role at a host of somebody else": () => login(signedBy("alice", {}, undefined, "169.254.169.254")),
    "a role of nobody": () => login(signedBy("nobody")),
    "a role of an inactive user": () => login(signedBy("off")),
    "a role of an administrator": () => login(signedBy("boss")),
    "a role while AWS does not answer": () => {
      const { host } = new URL(bed.gone);
      return login(signedBy("alice", {}, undefined, host), bed.away);
    },
  };
}

/** Roles of AWS at the user listener. */
export function awsIam(bed: Bed): Cases {
  return awsCases(bed, async (parts, at) => {
    const url = `${at.userUrl}/api/v1/auth/external/principal/login`;
    return ofToken(at.userUrl, await postJson(url, { identityRequest: identityBody(parts) }), []);
  });
}

/** Roles of AWS that a data server forwards. Who is in is the user whom it finds then. */
export function forwardedPrincipal(bed: Bed): Cases {
  return awsCases(bed, async (parts, at) => {
    const url = `${at.url}/authentication/v1/auth/external/principal/login`;
    const { status, text, json } = await postJson(url, identityBody(parts));
    const id = json["id"];
    if (typeof id !== "string") return { status, text, secrets: [] };
    const find = `${at.url}/api/v1/auth/external/principals?${new URLSearchParams({ principalId: id })}`;
    const found = await fetch(find, { headers: { authorization: `Bearer ${at.token}` } });
    const { user_id } = (await found.json()) as { readonly user_id?: string };
    return { status, text, user: found.ok ? user_id : undefined, secrets: [] };
  });
}
