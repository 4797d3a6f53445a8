import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { expect, it } from "vitest";
import { CompiledSets } from "../../src/decisions/compiled-sets.ts";
import { createCounters } from "../../src/decisions/counters.ts";
import { Principals } from "../../src/decisions/principals.ts";
import type { AllPolicies, CompiledDirectory } from "../../src/decisions/search/all-policies.ts";
import { UserSearch } from "../../src/decisions/search/user-search.ts";
import { Scheduler, WorkBudget } from "../../src/schedule/scheduler.ts";
import { openedEach } from "../opened.ts";
import { CACHE, openWorld } from "./world.ts";

const world = openedEach(() => openWorld());

const RESOURCE = "arn:svc:fs:::repository/r";
const statement = (effect: string, action: string) => [{ effect, action: [action], resource: "*" }];
const required = { action: "fs:ReadRepository", resource: RESOURCE };

/** All policies as they were: what a search may know while a write is under way. */
async function snapshotOfPolicies(): Promise<CompiledDirectory> {
  const all = await world.directory.survey(
    (survey) => survey.policies(),
    () => undefined,
  );
  return {
    policies: compile(all, { partition: "svc", evaluator: "extended" }),
    versions: new Map(all.map(({ name, id, version }) => [name, { id, version }])),
  };
}

function search(known: CompiledDirectory, generations: () => number): UserSearch {
  const scheduler = new Scheduler();
  const all = {
    get generation() {
      return generations();
    },
    get: async () => known,
  };
  const principals = new Principals({
    directory: world.directory,
    cache: CACHE,
    scheduler,
    counters: createCounters({ cacheSize: () => 0, compiledSets: () => 0 }),
    sets: new CompiledSets("svc", scheduler),
    policiesPerUser: 10,
    onTooMany: () => {},
  });
  const { directory } = world;
  return new UserSearch({ directory, principals, all: all as unknown as AllPolicies, scheduler });
}

const question = {
  required,
  contextIn: async () => new Map(),
  page: { limit: 10 },
  budget: new WorkBudget(Number.POSITIVE_INFINITY, () => new Error("too much work")),
  fields: () => new Map(),
  answer: ({ principal, policies }: { principal: { username: string }; policies: never }) => {
    const { username } = principal;
    return decide(policies, { user: username, required, context: new Map() }).effect === "allow"
      ? username
      : undefined;
  },
};

it("never leaves out a policy in a version that it did not judge", async () => {
  const { directory } = world;
  await directory.policies.create({ name: "allows", statement: statement("allow", "fs:*") });
  await directory.policies.create({ name: "later", statement: statement("allow", "auth:*") });
  await directory.users.create({ username: "a" });
  for (const name of ["allows", "later"]) await directory.users.attachPolicy("a", name);
  const stale = await snapshotOfPolicies();
  expect((await search(stale, () => 1).find(question as never)).results).toEqual(["a"]);
  await directory.policies.update({ name: "later", statement: statement("deny", "fs:*") });
  expect((await search(stale, () => 1).find(question as never)).results).toEqual([]);
});

it("reads a page again when policies changed meanwhile, and ends all the same", async () => {
  const known = await snapshotOfPolicies();
  let generation = 0;
  let reads = 0;
  const restless = search(known, () => generation++);
  const { survey } = world.directory;
  world.directory.survey = (...given) => {
    reads++;
    return survey(...given);
  };
  await restless.find(question as never);
  expect(reads).toBe(3);
  reads = 0;
  await search(known, () => 7).find(question as never);
  expect(reads).toBe(1);
});
