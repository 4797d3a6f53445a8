import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { BatchOperation } from "../../../../src/directory/batch.ts";
import { closedAfterAll } from "../../../closed-after-all.ts";
import { startManagement } from "../kit.ts";
import { applied, lines, meanwhile, stateOf } from "./apply-kit.ts";

interface Case {
  readonly name: string;
  readonly applied?: readonly unknown[];
  readonly meanwhile?: readonly BatchOperation[];
  readonly next?: readonly unknown[];
  readonly documents: readonly unknown[];
  readonly prune?: boolean;
  readonly changes: readonly string[];
  readonly then?: {
    readonly users?: Record<string, object | null>;
    readonly groups_of?: Record<string, readonly string[]>;
    readonly policies_of?: Record<string, readonly string[]>;
    readonly labels?: Record<string, string>;
    /** Numbers of accepted findings. */
    readonly accepted?: Record<string, number>;
  };
}

const file = join(import.meta.dirname, "../../../../fixtures/apply/three-way.json");
const { cases } = JSON.parse(readFileSync(file, "utf8")) as { readonly cases: readonly Case[] };

const api = await closedAfterAll(startManagement());
beforeEach(() => api.authorizer.reset());

async function expectState(then: NonNullable<Case["then"]>): Promise<void> {
  const { users, groups, policies } = await stateOf(api);
  for (const [name, wanted] of Object.entries(then.users ?? {})) {
    const user = users.get(name)?.user.value;
    const { username: _u, creation_date: _d, source: _s, ...fields } = user ?? { username: "" };
    expect(user === undefined ? null : fields).toEqual(wanted);
  }
  for (const [name, wanted] of Object.entries(then.groups_of ?? {})) {
    expect([...(users.get(name)?.groups.keys() ?? [])]).toEqual(wanted);
  }
  for (const [name, wanted] of Object.entries(then.policies_of ?? {})) {
    expect([...(groups.get(name)?.policies.keys() ?? [])]).toEqual(wanted);
  }
  for (const [name, wanted] of Object.entries(then.labels ?? {})) {
    expect(policies.get(name)?.value.acl).toBe(wanted);
  }
  for (const [name, wanted] of Object.entries(then.accepted ?? {})) {
    expect(policies.get(name)?.value.accept ?? []).toHaveLength(wanted);
  }
}

describe("an application compares what documents said, what they say, and what is there", () => {
  it.each(cases.map((one) => [one.name, one] as const))("%s", async (_, one) => {
    for (const documents of [one.applied, one.next]) {
      if (documents === undefined) continue;
      if (documents === one.next && one.meanwhile !== undefined) throw new Error("meanwhile comes last");
      expect((await applied(api, documents)).status).toBe(200);
    }
    if (one.meanwhile !== undefined) await meanwhile(api, one.meanwhile);
    const { documents, prune = false, changes } = one;

    const before = await stateOf(api);
    const plan = await applied(api, documents, { prune, dry_run: true });
    expect(lines(plan)).toEqual(changes);
    expect(await stateOf(api)).toEqual(before);

    const { digest: expected } = plan.json;
    const done = await applied(api, documents, { prune, expected });
    expect(lines(done)).toEqual(changes);
    if (one.then !== undefined) await expectState(one.then);

    const { history } = api.authorizer.directory;
    const { revision } = history.head;
    const again = await applied(api, documents, { prune });
    expect(lines(again)).toEqual(changes.filter((change) => change.startsWith("keep")));
    // What was removed may still be swept, for which nobody asked.
    const later = await history.entries(revision, 100);
    expect(later?.flatMap(({ useCases }) => useCases)).toEqual([]);
  });
});
