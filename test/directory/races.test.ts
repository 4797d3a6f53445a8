import { describe, expect, it } from "vitest";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { BACKENDS, codeOf, policy } from "./backends.ts";
import { openTestDirectory } from "./open-test-directory.ts";

const WRITERS = 16;
const ROUNDS = 60;

/** A small generator of its own, so that a failing run can be told by its seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomWrite(directory: OpenedDirectory, random: (below: number) => number): () => Promise<unknown> {
  const { users, groups, policies, credentials, externalPrincipals, batches } = directory;
  const pick = (kind: string) => `${kind}${random(2)}`;
  const [user, group, name, key] = [pick("u"), pick("g"), pick("p"), pick("k")];
  const writes = [
    () => users.create({ username: user, external_id: `sso|${random(2)}`, email: `${random(2)}@x.org` }),
    () => users.delete(user),
    () => users.update(user, { email: `${random(3)}@x.org` }),
    () => groups.create({ name: group }),
    () => groups.delete(group),
    () => groups.addMember(group, user),
    () => groups.addMember(group, user),
    () => groups.removeMember(group, user),
    () => policies.create(policy(name)),
    () => policies.update(policy(name)),
    () => policies.delete(name),
    () => users.attachPolicy(user, name),
    () => users.detachPolicy(user, name),
    () => groups.attachPolicy(group, name),
    () => groups.detachPolicy(group, name),
    () => credentials.create(user, { access_key_id: key, secret_access_key: "s" }),
    () => credentials.delete(user, key),
    () => externalPrincipals.create(user, key),
    () => externalPrincipals.delete(user, key),
    () =>
      batches.apply(
        [
          { op: "put_user", user: { username: user } },
          { op: "put_group", name: group },
          { op: "add_member", group, username: user },
        ],
        { managed: true },
      ),
  ];
  return writes[random(writes.length)]!;
}

describe.each(BACKENDS)("sixteen writers of the same names on $name", (backend) => {
  it("leave no orphan and no duplicate, and fail only as the contract says", async () => {
    const { store, directory, close } = await openTestDirectory({ backend });
    const codes = new Map<string, number>();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const random = randomNumbers(writer + 1);
        for (let round = 0; round < ROUNDS; round++) {
          const code = await codeOf(randomWrite(directory, random)());
          codes.set(code, (codes.get(code) ?? 0) + 1);
        }
      }),
    );
    for (const code of codes.keys()) {
      expect(["ok", "not_found", "already_exists", "conflict"]).toContain(code);
    }
    expect(codes.get("ok")).toBeGreaterThan(100);
    await directory.close();
    expect(await checkConsistency(store)).toEqual([]);
    await close();
  });

  it("create a name, a key and an external id exactly once", async () => {
    const { directory, close } = await openTestDirectory({ backend });
    const all = (write: (writer: number) => Promise<unknown>) =>
      Promise.all(Array.from({ length: WRITERS }, (_, writer) => codeOf(write(writer))));
    const once = (codes: readonly string[]) => {
      expect(codes.filter((code) => code === "ok")).toHaveLength(1);
      expect(codes.filter((code) => code === "already_exists")).toHaveLength(WRITERS - 1);
    };
    once(await all(() => directory.users.create({ username: "same" })));
    once(await all((writer) => directory.users.create({ username: `u${writer}`, external_id: "sso|1" })));
    await directory.users.create({ username: "other" });
    once(
      await all((writer) =>
        directory.credentials.create(writer % 2 ? "same" : "other", {
          access_key_id: "K",
          secret_access_key: "s",
        }),
      ),
    );
    once(await all((writer) => directory.externalPrincipals.create(writer % 2 ? "same" : "other", "role")));
    await close();
  });

  it("all succeed where they write different things of one user", async () => {
    const { directory, close } = await openTestDirectory({ backend });
    await directory.users.create({ username: "alice" });
    for (let writer = 0; writer < WRITERS; writer++) await directory.policies.create(policy(`p${writer}`));
    await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) => directory.users.attachPolicy("alice", `p${writer}`)),
    );
    expect((await directory.principal("alice"))?.policies).toHaveLength(WRITERS);
    await close();
  });
});
