/** Names with passwords: of the directory, of slapd, of a remote server, and as a data server forwards them; and access keys. */

import { type Bed, keyOf, PASSWORDS } from "./bed.ts";
import { type Cases, later, ofToken, postJson, type Shown, twice } from "./calls.ts";

type Service = Bed["here"];

async function logIn(at: Service, name: string, secret: string): Promise<Shown> {
  const body = { access_key_id: name, secret_access_key: secret };
  return ofToken(at.userUrl, await postJson(`${at.userUrl}/api/v1/auth/login`, body), [secret]);
}

/** Passwords that the directory keeps. */
export function passwords({ here, away }: Bed): Cases {
  const { own } = PASSWORDS;
  return {
    "a password": () => logIn(here, "alice", own),
    "a password in the form of the page": async () => {
      const form = new URLSearchParams({ name: "alice", secret: own });
      const headers = { "sec-fetch-site": "same-origin" };
      const answer = await fetch(`${here.userUrl}/sign-in`, {
        method: "POST",
        body: form,
        headers,
        redirect: "manual",
      });
      const token = /^access_token=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? "")?.[1] ?? "";
      const { status } = answer;
      return ofToken(here.userUrl, { status, text: "", headers: answer.headers, json: { token } }, [own]);
    },
    "another password": () => logIn(here, "alice", "not the password of alice"),
    "no password": () => logIn(here, "alice", ""),
    "a password once more": () => twice(() => logIn(here, "alice", own)),
    "a password that a data server stored": async () => {
      const encryptedPassword = Buffer.from("a password of the data server").toString("base64");
      await here.directory.users.update("alice", { encryptedPassword });
      return logIn(here, "alice", "a password of the data server");
    },
    "a password of a user whom another provider keeps": () => logIn(here, "linked", own),
    "a password of nobody": () => logIn(here, "nobody", own),
    "a password of an inactive user": () => logIn(here, "off", own),
    "a password of an administrator": () => logIn(here, "boss", own),
    "a password while no other way answers": () => logIn(away, "alice", own),
  };
}

/** Accounts of slapd. */
export function ldap({ here, away }: Bed): Cases {
  const { ldap: password } = PASSWORDS;
  return {
    "an account": () => logIn(here, "alice", password),
    "another password": () => logIn(here, "alice", `${password} that is wrong`),
    "a part of a filter": () => logIn(here, "alice)(uid=*", password),
    "an account once more": () => twice(() => logIn(here, "alice", password)),
    "an account with the name of a user of another provider": () => logIn(here, "linked", password),
    "an account of which there is no user": () => logIn(here, "nobody", password),
    "an account of an inactive user": () => logIn(here, "off", password),
    "an account with the name of an administrator": () => logIn(here, "boss", password),
    "an account while the server is not there": () => logIn(away, "alice", password),
  };
}

/** People of a remote server, which this service asks. */
export function remoteClient({ here, away, remote }: Bed): Cases {
  const { remote: password } = PASSWORDS;
  const rita = () => logIn(here, "rita", password);
  return {
    "an account": () => twice(rita),
    "another password": () => logIn(here, "rita", `${password} that is wrong`),
    "an account once more": () => twice(() => twice(rita)),
    "an access key with a wrong secret, which is not sent there": async () => {
      const before = remote.asked.length;
      const shown = await logIn(here, keyOf("alice").access_key_id, password);
      return remote.asked.length === before ? shown : { ...shown, status: 0 };
    },
    "an account with the name of a user who is not linked": () => logIn(here, "alice", password),
    "an account of which there is no user yet": rita,
    "an account of an inactive user": async () => {
      await rita();
      await here.directory.users.update("rita", { inactive: true });
      return rita();
    },
    "an account with the name of an administrator": () => logIn(here, "boss", password),
    "an account while the server is not there": () => logIn(away, "rita", password),
  };
}

/** Names and passwords that a data server forwards. Who is in is the user whom the answer names. */
export function remoteServer({ here, away }: Bed): Cases {
  const { own } = PASSWORDS;
  const forward = async (username: string, password: string, at = here): Promise<Shown> => {
    const { status, text, json } = await postJson(`${at.url}/authentication/v1/remote`, {
      username,
      password,
    });
    const user = json["external_user_identifier"] as string | undefined;
    return { status, text, user, secrets: [password] };
  };
  const key = keyOf("alice");
  return {
    "a password": () => forward("alice", own),
    "another password": () => forward("alice", "not the password of alice"),
    "a password once more": () => twice(() => forward("alice", own)),
    "an access key with its secret": () => forward(key.access_key_id, key.secret_access_key),
    "a password of a user whom another provider keeps": () => forward("linked", own),
    "a password of nobody": () => forward("nobody", own),
    "a password of an inactive user": () => forward("off", own),
    "a password of an administrator": () => forward("boss", own),
    "a password while no other way answers": () => forward("alice", own, away),
    "an account of LDAP while that is not there": () => forward("alice", PASSWORDS.ldap, away),
  };
}

/** Access keys. */
export function accessKeys({ here, away }: Bed): Cases {
  const withKey = (user: string, at = here) => {
    const { access_key_id, secret_access_key } = keyOf(user);
    return logIn(at, access_key_id, secret_access_key);
  };
  return {
    "a key": () => withKey("alice"),
    "another secret": () => logIn(here, keyOf("alice").access_key_id, "not-the-secret-of-the-key-of-alice"),
    "a key that is over": async () => {
      const key = await here.directory.credentials.createTemporary("alice", 900);
      return later(901, () => logIn(here, key.access_key_id, key.secret_access_key));
    },
    "a key once more": () => twice(() => withKey("alice")),
    "the token of the data server in place of a secret": () =>
      logIn(here, keyOf("alice").access_key_id, here.token),
    "a key of a user who was deleted": async () => {
      await here.directory.users.delete("alice");
      return withKey("alice");
    },
    "a key of an inactive user": () => withKey("off"),
    "a key of an administrator": () => withKey("boss"),
    "a key while no other way answers": () => withKey("alice", away),
  };
}
