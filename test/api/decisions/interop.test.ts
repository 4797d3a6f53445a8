/**
 * The interoperability scenarios of AuthZEN: to-do lists, a gateway that asks about identities and routes, searches, and an
 * identity provider that puts what it finds into tokens.
 */
import { readFileSync } from "node:fs";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { describe, expect, it } from "vitest";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post } from "../../http/service-kit.ts";

interface Item {
  readonly resource: readonly [type: string, id: string];
  readonly owner?: string;
  readonly allowed: boolean;
}

interface Case extends Item {
  readonly who: string;
  readonly action: string;
}

interface Scenarios {
  readonly subjects: Readonly<Record<string, string>>;
  readonly todo: readonly Case[];
  readonly todo_batches: readonly (Pick<Case, "who" | "action"> & { readonly items: readonly Item[] })[];
  readonly gateway: readonly Case[];
}

/** A search, without the part that is asked for, and all that it finds. */
interface Search {
  readonly who?: string;
  readonly action?: string;
  readonly record?: string;
  readonly found: readonly string[];
}

interface Searches {
  readonly subjects: readonly Search[];
  readonly resources: readonly Search[];
  readonly actions: readonly Search[];
  readonly identity_provider: readonly Search[];
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/authzen/${name}.json`, import.meta.url), "utf8"));
const { subjects, todo, todo_batches, gateway } = read("interop") as Scenarios;
const dataset = read("interop-dataset") as DatasetDocument;

const searches = read("search") as Searches;

const service = await closedAfterAll(
  startAuthorizer({
    dataset,
    config: { "authorizer.subjects.types": ["user", "identity"] } as never,
  }),
);
const plain = await closedAfterAll(startAuthorizer({ dataset }));
const searched = await closedAfterAll(
  startAuthorizer({ dataset: read("search-dataset") as DatasetDocument }),
);

const resourceOf = ({ resource: [type, id], owner }: Item) => ({
  type,
  id,
  ...(owner === undefined ? {} : { properties: { ownerID: owner } }),
});

async function ask(on: TestAuthorizer, path: string, body: unknown) {
  const { status, body: answer } = await post({ url: on.url, token: on.token }, `/access/v1${path}`, body);
  expect(status).toBe(200);
  return answer as Record<string, unknown>;
}

const evaluate = (on: TestAuthorizer, type: string, one: Case) =>
  ask(on, "/evaluation", {
    subject: { type, id: subjects[one.who] },
    action: { name: one.action },
    resource: resourceOf(one),
  });

describe("the scenario of to-do lists", () => {
  it("has 40 questions and 3 batches", () => expect([todo.length, todo_batches.length]).toEqual([40, 3]));

  it.each(todo)("$who $action $resource of $owner: $allowed", async (one) => {
    expect((await evaluate(plain, "user", one))["decision"]).toBe(one.allowed);
  });

  it.each(todo_batches)("$who $action, as a batch", async ({ who, action, items }) => {
    const answer = await ask(plain, "/evaluations", {
      subject: { type: "user", id: subjects[who] },
      action: { name: action },
      evaluations: items.map((item) => ({ resource: resourceOf(item) })),
    });
    const decisions = (answer["evaluations"] as { decision: boolean }[]).map(({ decision }) => decision);
    expect(decisions).toEqual(items.map(({ allowed }) => allowed));
  });
});

describe("the scenario of a gateway", () => {
  it("has 25 questions", () => expect(gateway).toHaveLength(25));

  it.each(gateway)("$who $action $resource: $allowed", async (one) => {
    expect((await evaluate(service, "identity", one))["decision"]).toBe(one.allowed);
  });

  it("names subjects of a type that is not configured: nobody", async () => {
    const answer = await evaluate(plain, "identity", gateway[0]!);
    expect(answer).toMatchObject({ decision: false, context: { reason: "unknown_subject" } });
  });
});

/** Everything that a search of the scenario finds, sorted, with the type that each result has to have. */
async function find(kind: "subject" | "resource" | "action", { who, action, record }: Search) {
  const { results } = await ask(searched, `/search/${kind}`, {
    subject: { type: "user", ...(kind !== "subject" && { id: who }) },
    ...(kind !== "action" && { action: { name: action } }),
    resource: { type: "record", ...(kind !== "resource" && { id: record }) },
  });
  return (results as object[]).map((one) => JSON.stringify(one)).sort();
}

const entities = (type: string, { found }: Search) => found.map((id) => JSON.stringify({ type, id })).sort();

describe("the scenario of searches", () => {
  const { subjects: bySubject, resources, actions } = searches;
  it("has 198 questions", () => expect(bySubject.length + resources.length + actions.length).toBe(198));

  it.each(bySubject)("who may $action $record", async (one) => {
    expect(await find("subject", one)).toEqual(entities("user", one));
  });

  it.each(resources)("which records $who may $action", async (one) => {
    expect(await find("resource", one)).toEqual(entities("record", one));
  });

  it.each(actions)("what $who may do on $record", async (one) => {
    expect(await find("action", one)).toEqual(one.found.map((name) => JSON.stringify({ name })).sort());
  });
});

describe("the scenario of an identity provider", () => {
  it("has 6 questions", () => expect(searches.identity_provider).toHaveLength(6));

  it.each(searches.identity_provider)("which records $who may $action", async (one) => {
    expect(await find("resource", one)).toEqual(entities("record", one));
  });

  it("finds nothing for somebody who is not there", async () => {
    expect(await find("resource", { who: "nobody", action: "delete", found: [] })).toEqual([]);
  });
});

it("searches find subjects of each configured type, under that type", async () => {
  const found = async (type: string) => {
    const { results } = await ask(service, "/search/subject", {
      subject: { type },
      action: { name: "POST" },
      resource: { type: "route", id: "/todos" },
    });
    return results as { type: string; id: string }[];
  };
  const expected = [subjects["rick"], subjects["morty"], subjects["summer"]].sort();
  expect(await found("identity")).toEqual(expected.map((id) => ({ type: "identity", id })));
  expect(await found("user")).toEqual(expected.map((id) => ({ type: "user", id })));
  expect(await found("robot")).toEqual([]);
  const subject = { type: "identity", id: subjects["rick"] };
  const resource = { type: "route", id: "/todos" };
  const { results } = await ask(service, "/search/action", { subject, resource });
  expect(results).toEqual(["DELETE", "GET", "POST", "PUT"].map((name) => ({ name })));
});
