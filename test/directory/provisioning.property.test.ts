/** Users and groups by their ids, under any sequence of calls, against a model (spec/scim §3). */

import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Provisioning } from "../../src/directory/provisioning.ts";
import { checkConsistency } from "../../src/directory/upkeep/check-store.ts";
import { openTestDirectory } from "./open-test-directory.ts";

interface ModelUser {
  name: string;
  email: string | undefined;
  external: string | undefined;
  inactive: boolean;
}

/** Names of users that differ in letter case only are one. */
const NAMES = ["a", "A", "Bc", "bC", "c"] as const;
const name = fc.constantFrom(...NAMES);
const pick = fc.nat(5);
const call = fc.oneof(
  fc.record({ op: fc.constant("create" as const), name, external: fc.option(name, { nil: undefined }) }),
  fc.record({ op: fc.constant("rename" as const), pick, name }),
  fc.record({ op: fc.constant("email" as const), pick, email: fc.option(name, { nil: undefined }) }),
  fc.record({ op: fc.constant("active" as const), pick, active: fc.boolean() }),
  fc.record({ op: fc.constant("delete" as const), pick }),
  fc.record({ op: fc.constant("createGroup" as const), name, pick }),
  fc.record({ op: fc.constant("renameGroup" as const), pick, name }),
  fc.record({ op: fc.constant("members" as const), pick, add: fc.array(pick), remove: fc.array(pick) }),
  fc.record({ op: fc.constant("deleteGroup" as const), pick }),
);
type Call = typeof call extends fc.Arbitrary<infer T> ? T : never;

/** Users and groups by id. */
class Model {
  readonly users = new Map<string, ModelUser>();
  readonly groups = new Map<string, { name: string; readonly members: Set<string> }>();
  readonly #made: string[] = [];
  readonly #provisioning: Provisioning;

  constructor(provisioning: Provisioning) {
    this.#provisioning = provisioning;
  }

  async run(one: Call): Promise<void> {
    const provisioning = this.#provisioning;
    const user = "pick" in one ? this.#at(this.users, one.pick) : undefined;
    const group = "pick" in one ? this.#at(this.groups, one.pick) : undefined;
    switch (one.op) {
      case "create": {
        const taken = this.#userNamed(one.name) || this.#external(one.external);
        const fields = { username: one.name, ...(one.external && { external_id: one.external }) };
        const made = await this.#tried(taken, () => provisioning.createUser(fields));
        if (made === undefined) return;
        expect(this.#made).not.toContain(made.id);
        this.#made.push(made.id);
        this.users.set(made.id, {
          name: one.name,
          email: undefined,
          external: one.external,
          inactive: false,
        });
        return;
      }
      case "rename":
      case "email":
      case "active": {
        if (user === undefined) return;
        const [id, was] = user;
        const next = { ...was };
        if (one.op === "rename") next.name = one.name;
        else if (one.op === "email") next.email = one.email;
        else next.inactive = !one.active;
        const isNew = next.name.toLowerCase() !== was.name.toLowerCase();
        const taken = isNew && this.#userNamed(next.name);
        const done = await this.#tried(taken, () =>
          provisioning.changeUser(id, () => ({
            username: next.name,
            ...(next.email && { email: next.email }),
            ...(next.external && { external_id: next.external }),
            ...(next.inactive && { inactive: true }),
          })),
        );
        if (done !== undefined) this.users.set(id, next);
        return;
      }
      case "delete":
        if (user === undefined) return;
        await provisioning.deleteUser(user[0]);
        this.users.delete(user[0]);
        for (const { members } of this.groups.values()) members.delete(user[0]);
        return;
      case "createGroup": {
        const members = user === undefined ? [] : [user[0]];
        const taken = this.#groupNamed(one.name);
        const made = await this.#tried(taken, () => provisioning.createGroup({ name: one.name, members }));
        if (made !== undefined) this.groups.set(made.id, { name: one.name, members: new Set(members) });
        return;
      }
      case "renameGroup": {
        if (group === undefined) return;
        const taken = one.name !== group[1].name && this.#groupNamed(one.name);
        const done = await this.#tried(taken, () => provisioning.changeGroup(group[0], { name: one.name }));
        if (done !== undefined) group[1].name = one.name;
        return;
      }
      case "members": {
        if (group === undefined) return;
        const ids = (picks: readonly number[]) => picks.flatMap((at) => this.#at(this.users, at)?.[0] ?? []);
        const [add, remove] = [ids(one.add), ids(one.remove)];
        await provisioning.changeGroup(group[0], { add, remove });
        for (const id of remove) group[1].members.delete(id);
        for (const id of add) group[1].members.add(id);
        return;
      }
      case "deleteGroup":
        if (group === undefined) return;
        await provisioning.deleteGroup(group[0]);
        this.groups.delete(group[0]);
    }
  }

  #at<T>(map: Map<string, T>, index: number): readonly [string, T] | undefined {
    return [...map][index];
  }

  async #tried<T>(taken: boolean, work: () => Promise<T>): Promise<T | undefined> {
    const result = await work().catch((error: unknown) => {
      if (!isErrorCode(error, "already_exists")) throw error;
      return undefined;
    });
    expect(result === undefined).toBe(taken);
    return result;
  }

  #userNamed(text: string): boolean {
    return [...this.users.values()].some((one) => one.name.toLowerCase() === text.toLowerCase());
  }

  #groupNamed(text: string): boolean {
    return [...this.groups.values()].some((one) => one.name === text);
  }

  #external(text: string | undefined): boolean {
    return text !== undefined && [...this.users.values()].some((one) => one.external === text);
  }
}

describe("users and groups of an identity provider", () => {
  it("are what the calls have made of them, and leave a consistent store", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 40 }), async (calls) => {
        const { store, directory, close } = await openTestDirectory();
        try {
          const provisioning = directory.provisioning(() => false);
          const model = new Model(provisioning);
          for (const one of calls) await model.run(one);
          for (const [id, { name, email, external, inactive }] of model.users) {
            const user = await provisioning.user(id);
            expect(user).toMatchObject({ id, username: name });
            expect([user.email, user.external_id, user.inactive === true]).toEqual([
              email,
              external,
              inactive,
            ]);
            expect((await provisioning.findUser({ username: name.toUpperCase() }))?.id).toBe(id);
            const groups = (await provisioning.groupsOf([id])).get(id) ?? [];
            const wanted = [...model.groups]
              .filter(([, { members }]) => members.has(id))
              .map(([group]) => group);
            expect(groups.map((group) => group.id).sort()).toEqual(wanted.sort());
            if (email !== undefined) {
              const { results } = await directory.users.list({ amount: 10 }, { email });
              expect(results.map(({ username }) => username)).toContain(name);
            }
          }
          for (const [id, { name, members }] of model.groups) {
            expect((await provisioning.group(id)).name).toBe(name);
            const found = await provisioning.members(id);
            expect(found.map((member) => member.id).sort()).toEqual([...members].sort());
          }
          expect(await checkConsistency(store)).toEqual([]);
        } finally {
          await close();
        }
      }),
      { numRuns: 150 },
    );
  });
});
