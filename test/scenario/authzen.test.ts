import { beforeAll, describe, expect, it } from "vitest";
import { levelTable, startTarget } from "../../scenario/authzen.ts";
import type { Answer } from "../../scenario/call.ts";
import { type Case, LEVELS, readCases } from "../../scenario/cases.ts";
import { faults } from "../../scenario/check-answer.ts";
import { type Outcome, runCases } from "../../scenario/run-cases.ts";
import { closedAfterAll } from "../closed-after-all.ts";

const cases = readCases();
let outcomes: readonly Outcome[] = [];
const target = await closedAfterAll(startTarget());
beforeAll(async () => {
  outcomes = await runCases(target, cases);
});

describe("the AuthZEN certification scenario, over HTTPS", () => {
  it.each(cases.map((one, index) => [one.level, one.id, one.title, index] as const))(
    "%s %s: %s",
    (_level, _id, _title, index) => {
      expect(outcomes[index]?.faults).toEqual([]);
    },
  );

  it("has cases at all seven levels, and the table counts them", () => {
    const counted = LEVELS.map((level) => outcomes.filter((outcome) => outcome.case.level === level).length);
    expect(counted).toEqual([23, 4, 10, 3, 29, 3, 1]);
    for (const level of LEVELS) expect(levelTable(outcomes)).toContain(level);
  });
});

describe("the checks of the scenario find", () => {
  const json = { "content-type": "application/json" };
  const answer = (body: unknown, status = 200, headers: Answer["headers"] = json): Answer => ({
    status,
    headers,
    body,
  });
  const evaluation: Case = {
    id: "0",
    level: "Basic Core",
    title: "",
    endpoint: "evaluation",
    expect: { decision: true },
  };
  const search: Case = {
    ...evaluation,
    endpoint: "search/subject",
    body: { subject: { type: "user" } },
    expect: { includes: [{ type: "user", id: "bob" }], page: true, same: "1" },
  };
  const page = { next_token: "" };
  const bob = { type: "user", id: "bob" };

  it.each<[string, Case, Answer]>([
    ["another decision", evaluation, answer({ decision: false })],
    ["a decision that is no boolean", evaluation, answer({ decision: "true" })],
    ["a context that is no object", evaluation, answer({ decision: true, context: "x" })],
    ["another status", evaluation, answer({ decision: true }, 201)],
    ["no JSON content type", evaluation, answer({ decision: true }, 200, {})],
    ["a body that is no object", evaluation, answer([])],
    [
      "a missing header",
      { ...evaluation, expect: { headers: { "X-A": "1" }, decision: true } },
      answer({ decision: true }),
    ],
    [
      "a batch of another length",
      { ...evaluation, expect: { evaluations: [true] } },
      answer({ evaluations: [] }),
    ],
    [
      "a batch in another order",
      { ...evaluation, expect: { evaluations: [true, false] } },
      answer({ evaluations: [{ decision: false }, { decision: true }] }),
    ],
    ["a missing result", search, answer({ results: [], page })],
    ["a result of another type", search, answer({ results: [bob, { type: "group", id: "x" }], page })],
    ["other results than before", search, answer({ results: [bob, { type: "user", id: "x" }], page })],
    ["a page without token", search, answer({ results: [bob], page: {} })],
    [
      "metadata of another address",
      { ...evaluation, endpoint: "metadata", expect: { metadata: true } },
      answer({ policy_decision_point: "https://b", access_evaluation_endpoint: "https://b/e" }),
    ],
  ])("%s", (_what, one, given) => {
    expect(faults(one, given, { url: "https://a", token: "" }, new Map([["1", [bob]]]))).not.toEqual([]);
  });

  it("nothing in a sound answer", () => {
    const sound = answer({ results: [bob], page });
    expect(faults(search, sound, { url: "https://a", token: "" }, new Map([["1", [bob]]]))).toEqual([]);
  });
});
