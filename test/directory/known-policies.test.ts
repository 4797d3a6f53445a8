import type { StoredPolicy } from "@svc-authorizer/policy/model/held-policies.ts";
import { beforeEach, describe, expect, it } from "vitest";
import { HolderLists } from "../../src/directory/read/holder-lists.ts";
import type { KnownPolicies } from "../../src/directory/read/known-policies.ts";

/** A resource of about a mebibyte. */
const LONG = "r".repeat((1 << 19) - 600);

const policy = (name: string): StoredPolicy => {
  const statement = [{ effect: "allow", action: [], resource: LONG }] as const;
  return { id: `id-of-${name}`, version: "1", name, creation_date: 0, statement };
};

const attachment = (name: string) => ({ id: `id-of-${name}`, name });

describe("known policies", () => {
  let lists: HolderLists;
  let known: KnownPolicies;
  const first = { revision: 7, base: "a" };

  beforeEach(() => {
    lists = new HolderLists();
    known = lists.policiesById;
  });

  /** Names of policies that are known in a state. */
  const namesIn = (state: typeof first, ...names: string[]): readonly string[] =>
    known.at(lists.opened(state), names.map(attachment)).flatMap((one) => one?.name ?? []);

  it("are known under their name in the states that were told of", () => {
    known.keep(lists.opened(first), [policy("read"), policy("write")]);
    expect(namesIn(first, "write", "other", "read")).toEqual(["write", "read"]);
    const renamed = { id: "id-of-read", name: "other" };
    expect(known.at(lists.opened(first), [renamed])).toEqual([undefined]);
    expect(namesIn({ ...first, revision: 8 }, "read")).toEqual([]);
    lists.tell(8, { policies: ["id-of-write"] });
    expect(namesIn({ ...first, revision: 8 }, "read", "write")).toEqual(["read"]);
  });

  it("are not known in a state of another store with the same revision", () => {
    known.keep(lists.opened(first), [policy("read")]);
    expect(namesIn({ ...first, base: "b" }, "read")).toEqual([]);
  });

  it("are forgotten when revisions go back, also for a reader of before", () => {
    const reader = lists.opened(first);
    known.keep(reader, [policy("read")]);
    lists.tell(5, { policies: [] });
    expect(known.at(reader, [attachment("read")])).toEqual([undefined]);
    lists.tell(7, undefined);
    expect(namesIn(first, "read")).toEqual([]);
    known.keep(reader, [policy("read")]);
    expect(namesIn(first, "read")).toEqual([]);
  });

  it.each([
    ["before the first one that was read", 5, undefined],
    ["that was not told of yet", 8, undefined],
    ["before everything changed", 7, { all: true }],
  ])("are not kept as they were read from a state %s", (_, revision, change) => {
    lists.opened(first);
    if (change !== undefined) lists.tell(8, change);
    known.keep(lists.opened({ ...first, revision }), [policy("read")]);
    lists.tell(8, undefined);
    expect(namesIn({ ...first, revision: 8 }, "read")).toEqual([]);
  });

  it("are not kept where more changed since than is remembered", () => {
    const reader = lists.opened(first);
    for (let revision = 8; revision <= 7 + 1_024; revision++) lists.tell(revision, { users: [] });
    known.keep(reader, [policy("read")]);
    const last = { ...first, revision: 7 + 1_024 };
    expect(namesIn(last, "read")).toEqual(["read"]);
    lists.tell(8 + 1_024, { users: [] });
    known.keep(reader, [policy("write")]);
    expect(namesIn({ ...first, revision: 8 + 1_024 }, "write", "read")).toEqual(["read"]);
  });

  it("take 32 MiB, of which those that were asked for last stay", () => {
    const names = Array.from({ length: 40 }, (_, index) => `policy-${index}`);
    const reader = lists.opened(first);
    known.keep(reader, names.slice(0, 23).map(policy));
    expect(known.isFull).toBe(false);
    known.keep(reader, names.slice(23, 32).map(policy));
    expect(known.isFull).toBe(true);
    namesIn(first, "policy-0");
    known.keep(reader, names.slice(32).map(policy));
    expect(namesIn(first, ...names)).toEqual(["policy-0", ...names.slice(9)]);
  });
});
