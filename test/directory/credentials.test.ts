import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DURABLE_COST } from "../../src/directory/records/open-secrets.ts";
import { deriveSealingKey, newKeyDerivation, SecretBox } from "../../src/directory/records/secrets.ts";
import { BACKENDS, codeOf, MEMORY } from "./backends.ts";
import { openDirectoryOn, openTestDirectory, SECRET_KEY, type TestDirectory } from "./open-test-directory.ts";

const PAGE = { amount: 100 };

describe.each(BACKENDS)("credentials and external principals on $name", (backend) => {
  let bed: TestDirectory;
  beforeEach(async () => {
    bed = await openTestDirectory({ backend, now: () => 1_700_000_000 });
    await bed.directory.users.create({ username: "alice" });
    await bed.directory.users.create({ username: "bob" });
  });
  afterEach(() => bed.close());

  it("generates keys in the form that doctors expect", async () => {
    const key = await bed.directory.credentials.create("alice");
    expect(key.access_key_id).toMatch(/^AKIAJ[A-Z2-7]{14}Q$/);
    expect(Buffer.from(key.secret_access_key, "base64")).toHaveLength(30);
    expect(key).toMatchObject({ username: "alice", creation_date: 1_700_000_000 });
    expect(await bed.directory.credentials.getWithSecret(key.access_key_id)).toEqual(key);
    const { secret_access_key: _, ...open } = key;
    expect(await bed.directory.credentials.get("alice", key.access_key_id)).toEqual(open);
    expect((await bed.directory.credentials.list("alice", PAGE)).results).toEqual([open]);
  });

  it("imports a key once over all users, and wants id and secret together", async () => {
    const { credentials } = bed.directory;
    const key = { access_key_id: "K", secret_access_key: "s", creation_date: 5 };
    expect(await credentials.create("alice", key)).toEqual({ ...key, username: "alice" });
    expect(await codeOf(credentials.create("bob", key))).toBe("already_exists");
    expect(await codeOf(credentials.create("alice", key))).toBe("already_exists");
    expect(await codeOf(credentials.create("alice", { access_key_id: "L" }))).toBe("invalid_request");
    expect(await codeOf(credentials.create("alice", { secret_access_key: "s" }))).toBe("invalid_request");
    expect(await codeOf(credentials.create("alice", { ...key, secret_access_key: "" }))).toBe(
      "invalid_request",
    );
    expect(await codeOf(credentials.create("nobody", { ...key, access_key_id: "L" }))).toBe("not_found");
  });

  it("deletes a key of its user only", async () => {
    const { credentials } = bed.directory;
    await credentials.create("alice", { access_key_id: "K", secret_access_key: "s" });
    expect(await codeOf(credentials.get("bob", "K"))).toBe("not_found");
    expect(await codeOf(credentials.delete("bob", "K"))).toBe("not_found");
    // It is opened, and what is opened may be kept: a key that is gone is gone all the same.
    for (let time = 0; time < 2; time++) {
      expect((await credentials.getWithSecret("K")).secret_access_key).toBe("s");
    }
    expect(await codeOf(credentials.delete("alice", "K"))).toBe("ok");
    expect(await codeOf(credentials.getWithSecret("K"))).toBe("not_found");
    expect(await codeOf(credentials.delete("alice", "K"))).toBe("not_found");
    expect(await codeOf(credentials.getWithSecret("K"))).toBe("not_found");
    expect(await codeOf(credentials.create("bob", { access_key_id: "K", secret_access_key: "s" }))).toBe(
      "ok",
    );
  });

  it("gives a principal to one user at a time", async () => {
    const { externalPrincipals } = bed.directory;
    await externalPrincipals.create("alice", "arn:aws:sts::1:assumed-role/x");
    expect(await codeOf(externalPrincipals.create("alice", "arn:aws:sts::1:assumed-role/x"))).toBe(
      "already_exists",
    );
    expect(await codeOf(externalPrincipals.create("bob", "arn:aws:sts::1:assumed-role/x"))).toBe(
      "already_exists",
    );
    expect(await codeOf(externalPrincipals.delete("bob", "arn:aws:sts::1:assumed-role/x"))).toBe("not_found");
    await externalPrincipals.delete("alice", "arn:aws:sts::1:assumed-role/x");
    await externalPrincipals.create("bob", "arn:aws:sts::1:assumed-role/x");
    expect(await externalPrincipals.get("arn:aws:sts::1:assumed-role/x")).toEqual({
      id: "arn:aws:sts::1:assumed-role/x",
      username: "bob",
    });
  });

  it("keeps no secret in clear, and opens none that was copied to another record", async () => {
    const { credentials } = bed.directory;
    await credentials.create("alice", { access_key_id: "K1", secret_access_key: "very secret one" });
    await credentials.create("bob", { access_key_id: "K2", secret_access_key: "very secret two" });
    for (const id of ["K1", "K2"]) await credentials.getWithSecret(id);
    const snapshot = await bed.store.snapshot();
    const [one, two] = await snapshot.getMany("key", ["K1", "K2"]);
    snapshot.release();
    expect(one!.value + two!.value).not.toContain("very secret");
    const forged = { ...JSON.parse(two!.value), secret: JSON.parse(one!.value).secret };
    await bed.store.commit({ put: [{ partition: "key", key: "K2", value: JSON.stringify(forged) }] });
    const failure = await credentials.getWithSecret("K2").catch((error) => error);
    expect(failure).toBeInstanceOf(AuthorizerError);
    expect(failure.code).toBe("internal");
    expect(failure.message).not.toContain("very secret");
    expect((await credentials.getWithSecret("K1")).secret_access_key).toBe("very secret one");
  });

  it("refuses a wrong key at opening by the name of its item, and changes keys with the previous one", async () => {
    const { store, directory } = bed;
    const imported = { access_key_id: "K", secret_access_key: "kept secret" };
    await directory.credentials.create("alice", imported);
    await directory.close();
    const wrong = await openDirectoryOn(store, { secretKey: "another" }).catch((error) => error);
    expect(wrong).toBeInstanceOf(AuthorizerError);
    expect(wrong.code).toBe("invalid_request");
    expect(wrong.message).toContain("auth.encrypt.secret_key");
    expect(wrong.message).not.toContain("another");
    const both = await openDirectoryOn(store, { secretKey: "another", previousSecretKey: "neither" }).catch(
      (error) => error,
    );
    expect(both.message).toContain("authorizer.previous_secret_key");

    const changed = await openDirectoryOn(store, { secretKey: "another", previousSecretKey: SECRET_KEY });
    expect(await changed.credentials.getWithSecret("K")).toMatchObject(imported);
    await changed.close();
    // Everything has been sealed anew, so the previous key is needed no more and fits no more.
    const alone = await openDirectoryOn(store, { secretKey: "another" });
    expect(await alone.credentials.getWithSecret("K")).toMatchObject(imported);
    await alone.close();
    expect(await codeOf(openDirectoryOn(store))).toBe("invalid_request");
  });
});

describe("sealed secrets", () => {
  const binding = { kind: "access_key", accessKeyId: "K", userId: "u1" } as const;
  const cheap = { N: 16, r: 1, p: 1 };

  it("open only with their record, their key and unchanged", async () => {
    const derivation = newKeyDerivation(cheap);
    const box = new SecretBox(await deriveSealingKey("key", derivation));
    const sealed = box.seal("secret ü", binding);
    expect(box.open(sealed, binding)).toBe("secret ü");
    expect(box.seal("secret ü", binding)).not.toBe(sealed);
    expect(() => box.open(sealed, { ...binding, userId: "u2" })).toThrow(AuthorizerError);
    expect(() => box.open(sealed, { ...binding, accessKeyId: "L" })).toThrow(AuthorizerError);
    for (let time = 0; time < 2; time++) {
      expect(box.openKept(sealed, binding)).toBe("secret ü");
      expect(() => box.openKept(sealed, { ...binding, userId: "u2" })).toThrow(AuthorizerError);
      expect(() => box.openKept(sealed, { ...binding, accessKeyId: "L" })).toThrow(AuthorizerError);
    }
    const other = new SecretBox(await deriveSealingKey("key 2", derivation));
    expect(() => other.open(sealed, binding)).toThrow(AuthorizerError);
    const salted = new SecretBox(await deriveSealingKey("key", newKeyDerivation(cheap)));
    expect(() => salted.open(sealed, binding)).toThrow(AuthorizerError);
    const last = sealed.at(-2) === "A" ? "B" : "A";
    expect(() => box.open(sealed.slice(0, -2) + last + sealed.at(-1), binding)).toThrow(AuthorizerError);
    for (const odd of ["", "v1", "v1..", `v1.${box.keyIds[0]}.`, "plain text"]) {
      expect(() => box.open(odd, binding)).toThrow(AuthorizerError);
    }
  });

  it("cost a store on a disk at least 2^15 rounds unless told otherwise", async () => {
    expect(DURABLE_COST.N).toBeGreaterThanOrEqual(2 ** 15);
    const { store, dispose } = await MEMORY.open();
    const directory = await openDirectoryOn(store, { keyCost: DURABLE_COST });
    await directory.close();
    const snapshot = await store.snapshot();
    expect(JSON.parse((await snapshot.get("meta", "kdf"))!.value)).toMatchObject(DURABLE_COST);
    snapshot.release();
    await dispose();
  });
});
