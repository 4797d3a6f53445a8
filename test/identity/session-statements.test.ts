/** Session tokens of temporary keys: signed statements about a key and its expiry (spec/security §2.8). */

import { describe, expect, it } from "vitest";
import { SessionStatements } from "../../src/identity/session-statements.ts";
import { SECRET_KEY } from "../directory/open-test-directory.ts";
import {
  changed,
  DENIED,
  edit,
  header,
  NO_KEY,
  presigned,
  RIGHT,
  shareVerification,
} from "./signature-kit.ts";
import { makeToken, serverClaims } from "./tokens.ts";

const shared = shareVerification();

async function temporaryKey(user = "alice") {
  const key = await shared.opened.directory.credentials.createTemporary(user, 900);
  return { ...key, token: shared.opened.identities.sessionTokenOf(key) };
}

type Key = Awaited<ReturnType<typeof temporaryKey>>;

const inHeader = ({ access_key_id, secret_access_key }: Key, token: string) =>
  header({
    accessKeyId: access_key_id,
    secret: secret_access_key,
    headers: { host: "s3.example.com", "x-amz-security-token": token },
  });
const inQuery = ({ access_key_id, secret_access_key }: Key, token: string) =>
  presigned({
    accessKeyId: access_key_id,
    secret: secret_access_key,
    query: [["X-Amz-Security-Token", token]],
  });

describe("a session token", () => {
  it("passes with the key for which it was issued, in a header and in a query", async () => {
    const key = await temporaryKey();
    expect(await shared.verify(inHeader(key, key.token))).toBe(RIGHT);
    expect(await shared.verify(inQuery(key, key.token))).toBe(RIGHT);
  });

  it("must be signed", async () => {
    const key = await temporaryKey();
    const { access_key_id: accessKeyId, secret_access_key: secret } = key;
    const without = header({ accessKeyId, secret, headers: { host: "s3.example.com" } });
    expect(await shared.verify(without)).toBe(RIGHT);
    expect(await shared.verify(changed(without, {}, { "x-amz-security-token": key.token }))).toBe(DENIED);
    const url = presigned({ accessKeyId, secret });
    const added = changed(url, { query: `${url.query}&X-Amz-Security-Token=${key.token}` });
    expect(await shared.verify(added)).toBe("unauthenticated SignatureDoesNotMatch");
  });

  it("passes with no other key, of the same user neither", async () => {
    const [one, other] = [await temporaryKey(), await temporaryKey()];
    expect(await shared.verify(inHeader(one, other.token))).toBe(DENIED);
    expect(await shared.verify(inQuery(one, other.token))).toBe(DENIED);
    const lasting = { ...one, access_key_id: "AK-ALICE", secret_access_key: "secret of AK-ALICE" };
    expect(await shared.verify(inHeader(lasting, one.token))).toBe(DENIED);
  });

  it("ends with its key", async () => {
    const key = await temporaryKey();
    shared.opened.clock.now = key.expires_at * 1_000 - 1;
    expect(await shared.verify(inHeader(key, key.token))).toBe(RIGHT);
    shared.opened.clock.now = key.expires_at * 1_000;
    expect(await shared.verify(inHeader(key, key.token))).toBe(DENIED);
    const { access_key_id: accessKeyId, secret_access_key: secret } = key;
    expect(await shared.verify(header({ accessKeyId, secret }))).toBe(NO_KEY);
  });

  it("is refused where one byte of it is another, and where somebody else made it", async () => {
    const key = await temporaryKey();
    const [said = "", signature = ""] = key.token.split(".");
    const longer = Buffer.from(`${key.expires_at + 9_999} ${key.access_key_id}`).toString("base64url");
    const others = new SessionStatements(["another key that is as long as it has to be"]);
    for (const token of [
      "t",
      "",
      `${said}.`,
      `.${signature}`,
      `${longer}.${signature}`,
      `${said}.${edit(signature, /^./, signature.startsWith("A") ? "B" : "A")}`,
      `${key.token}.`,
      others.make(key.access_key_id, key.expires_at),
      makeToken({ claims: serverClaims("alice", shared.opened.clock.now) }),
    ])
      expect(await shared.verify(inHeader(key, token)), token).toBe(DENIED);
  });

  it("made with the previous secret key holds while a change of keys lasts", () => {
    const before = new SessionStatements([SECRET_KEY]).make("K", 100);
    expect(new SessionStatements(["new", SECRET_KEY]).holds(before, "K", 99_999)).toBe(true);
    expect(new SessionStatements(["new"]).holds(before, "K", 99_999)).toBe(false);
    expect(new SessionStatements(["new", SECRET_KEY]).make("K", 100)).not.toBe(before);
  });
});
