import { openCatalog } from "@svc-authorizer/policy/catalog/open-catalog.ts";
import {
  type AskedQuestion,
  doubtText,
  QuestionJudge,
  withDeclaredTypes,
} from "@svc-authorizer/policy/model/question-judge.ts";
import type { ResourceType } from "@svc-authorizer/policy/model/resource-type.ts";
import { describe, expect, it } from "vitest";
import { readFixture } from "../../../../test/read-fixture.ts";

interface Case extends AskedQuestion {
  readonly doubts: readonly unknown[];
}

const { declared, cases } = readFixture<{ declared: ResourceType[]; cases: Case[] }>(
  "policy-work/questions.json",
);

describe("a question is judged against the catalog and the types of data sets", async () => {
  const catalog = await openCatalog({ partition: "svc" });
  const judge = new QuestionJudge(withDeclaredTypes(catalog, declared));

  it.each(cases)("$action on $resource", ({ doubts, ...question }) => {
    expect(judge.doubts(question)).toEqual(doubts);
  });

  it("has no doubt about any action of the catalog on a resource of its kind", () => {
    const doubted = [...catalog.actions.values()]
      .filter(({ requiredByAnEndpoint }) => requiredByAnEndpoint)
      .flatMap(({ name, resources }) =>
        resources.flatMap((kind) => {
          const arn = catalog.resourceTypes.get(kind)?.arn.replace(/\{[^{}]*\}/g, "x");
          if (arn === undefined && kind !== "*") return [];
          return judge.doubts({ action: name, resource: arn ?? kind });
        }),
      );
    expect(doubted).toEqual([]);
  });

  it("offers no text that it doubts itself", () => {
    for (const { doubts: _, ...question } of cases) {
      for (const { part, meant } of judge.doubts(question)) {
        for (const text of meant) {
          const other = judge.doubts(part === "action" ? { action: text } : { resource: text });
          expect([text, other]).toEqual([text, []]);
        }
      }
    }
  });

  it("says in one sentence what may be meant", () => {
    expect(judge.doubts({ action: "write" }).map(doubtText)).toEqual([
      "write is no action: one is written service:Verb (did you mean fs:CreateCommit, fs:WriteObject or pr:WritePullRequest?)",
    ]);
  });
});
