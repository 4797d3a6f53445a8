import { compareUtf8 } from "@svc-authorizer/policy/model/utf8-order.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BatchOperation } from "../../src/directory/batch.ts";
import type { OpenedDirectory } from "../../src/directory/open-directory.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import type { Store } from "../../src/store/port.ts";
import { sized } from "../proofs/size.ts";
import { BACKENDS, codeOf, policy, unsweeping } from "./backends.ts";
import { openDirectoryOn } from "./open-test-directory.ts";
import { Oracle, type Step } from "./oracle.ts";

const user = fc.constantFrom("u", "ü");
const group = fc.constantFrom("g", "h");
const name = fc.constantFrom("p", "～");
const resource = fc.constantFrom("*", "arn:svc:fs:::repository/x");
const key = fc.constantFrom("k", "l");
const external = fc.constantFrom(undefined, "sso|1", "sso|2");

const operation: fc.Arbitrary<BatchOperation> = fc.oneof(
  fc
    .record({ op: fc.constant("put_user" as const), username: user, external })
    .map(({ op, username, external: id }) => ({
      op,
      user: { username, ...(id !== undefined && { external_id: id }) },
    })),
  fc.record({ op: fc.constant("delete_user" as const), username: user }),
  fc.record({ op: fc.constantFrom("put_group" as const, "delete_group" as const), name: group }),
  fc.record({ op: fc.constant("add_member" as const), group, username: user }),
  fc.record({ op: fc.constant("attach_to_group" as const), group, policy: name }),
  fc.record({ op: fc.constant("delete_policy" as const), name }),
);

const kinds = <const T extends string>(...names: T[]) => fc.constantFrom(...names);

/** Things are created and joined more often than deleted, so that most steps find something to work on. */
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kinds("create_user"),
      user,
      external,
      email: fc.constantFrom(undefined, "a@x.org"),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kinds(
        "delete_user",
        "create_key",
        "create_key",
        "delete_key",
        "put_principal",
        "delete_principal",
      ),
      user,
      key,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kinds("create_group", "create_group", "delete_group"), group }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kinds("create_policy", "create_policy", "update_policy", "delete_policy"),
      policy: name,
      resource,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kinds("add_member", "add_member", "remove_member"), user, group }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kinds("attach_user", "attach_user", "detach_user"), user, policy: name }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: kinds("attach_group", "attach_group", "detach_group"),
      group,
      policy: name,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: kinds("batch"), operations: fc.array(operation, { maxLength: 8 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kinds("reopen") }) },
);

function run(directory: OpenedDirectory, write: Exclude<Step, { kind: "reopen" }>): Promise<unknown> {
  const { users, groups, policies, credentials, externalPrincipals, batches } = directory;
  switch (write.kind) {
    case "create_user": {
      const { user: username, external: external_id, email } = write;
      return users.create({
        username,
        ...(external_id !== undefined && { external_id }),
        ...(email !== undefined && { email }),
      });
    }
    case "delete_user":
      return users.delete(write.user);
    case "create_key":
      return credentials.create(write.user, { access_key_id: write.key, secret_access_key: "secret" });
    case "delete_key":
      return credentials.delete(write.user, write.key);
    case "put_principal":
      return externalPrincipals.create(write.user, write.key);
    case "delete_principal":
      return externalPrincipals.delete(write.user, write.key);
    case "create_group":
      return groups.create({ name: write.group });
    case "delete_group":
      return groups.delete(write.group);
    case "create_policy":
      return policies.create(policy(write.policy, write.resource));
    case "update_policy":
      return policies.update(policy(write.policy, write.resource));
    case "delete_policy":
      return policies.delete(write.policy);
    case "add_member":
      return groups.addMember(write.group, write.user);
    case "remove_member":
      return groups.removeMember(write.group, write.user);
    case "attach_user":
      return users.attachPolicy(write.user, write.policy);
    case "detach_user":
      return users.detachPolicy(write.user, write.policy);
    case "attach_group":
      return groups.attachPolicy(write.group, write.policy);
    case "detach_group":
      return groups.detachPolicy(write.group, write.policy);
    case "batch":
      return batches.apply(write.operations, { managed: false });
  }
}

async function compare(directory: OpenedDirectory, oracle: Oracle): Promise<void> {
  const state = await directory.batches.state({ secrets: true });
  const sorted = (names: Iterable<string>) => [...names].sort(compareUtf8);
  expect([...state.users.keys()]).toEqual(sorted(oracle.users.keys()));
  expect([...state.groups.keys()]).toEqual(sorted(oracle.groups.keys()));
  expect([...state.policies.keys()]).toEqual(sorted(oracle.policies.keys()));
  for (const [username, expected] of oracle.users) {
    const actual = state.users.get(username)!;
    expect(actual.user.value.external_id).toBe(expected.external_id);
    expect(actual.user.value.email).toBe(expected.email);
    expect([...actual.groups.keys()]).toEqual(sorted(expected.groups));
    expect([...actual.policies.keys()]).toEqual(sorted(expected.policies));
    expect([...actual.credentials.keys()]).toEqual(sorted(expected.keys.keys()));
    expect([...actual.externalPrincipals.keys()]).toEqual(sorted(expected.principals));
    const effective = (await directory.principal(username))!.policies;
    expect(effective.map(({ name: of, statement }) => [of, statement[0]!.resource])).toEqual(
      oracle.effective(username),
    );
    const members = await directory.users.groups(username, { amount: 10 });
    expect(members.results.map(({ name: of }) => of)).toEqual(sorted(expected.groups));
  }
  for (const [of, policies] of oracle.groups) {
    expect([...state.groups.get(of)!.policies.keys()]).toEqual(sorted(policies));
    const members = (await directory.groups.members(of, { amount: 10 })).results;
    const expected = [...oracle.users]
      .filter(([, { groups }]) => groups.has(of))
      .map(([username]) => username);
    expect(members.map(({ username }) => username)).toEqual(sorted(expected));
  }
  for (const id of ["sso|1", "sso|2"]) {
    const found = (await directory.users.list({ amount: 2 }, { external_id: id })).results;
    const expected = [...oracle.users].filter(([, { external_id }]) => external_id === id);
    expect(found.map(({ username }) => username)).toEqual(expected.map(([username]) => username));
  }
}

describe.each(BACKENDS)("random writes on $name", (backend) => {
  it.each(["swept", "never swept"])("answer and leave what a naive directory does (%s)", async (sweeping) => {
    const wrap = (store: Store) => (sweeping === "swept" ? store : unsweeping(store));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
        const { store, dispose } = await backend.open();
        let directory = await openDirectoryOn(wrap(store));
        const oracle = new Oracle();
        for (const write of steps) {
          if (write.kind === "reopen") {
            await directory.close();
            directory = await openDirectoryOn(wrap(store));
          } else {
            expect([write, await codeOf(run(directory, write))]).toEqual([write, oracle.apply(write)]);
          }
          await compare(directory, oracle);
        }
        await directory.close();
        expect(await checkConsistency(store)).toEqual([]);
        const last = await openDirectoryOn(store);
        await last.close();
        expect(await checkConsistency(store)).toEqual([]);
        await dispose();
      }),
      { numRuns: backend.name === "memory" ? sized(25, 80) : sized(4, 10) },
    );
  });
});
