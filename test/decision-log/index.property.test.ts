import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { isDecision, type LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { wildcardMatch } from "../../packages/policy/test/engine/oracle.ts";
import { DecisionIndex } from "../../src/decision-log/index/decision-index.ts";
import { IndexDatabase } from "../../src/decision-log/index/index-database.ts";
import { decisionRows } from "../../src/decision-log/index/index-rows.ts";
import type { RecordFilter } from "../../src/decision-log/index/record-filter.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { linesOf, openTestLog } from "./test-log.ts";

const USERS = ["alice", "bob", "al*", "[a]"];
const ACTIONS = ["fs:ReadObject", "fs:WriteObject"];
const ARNS = ["arn:svc:fs:::repository/a", "arn:svc:fs:::repository/b/object/[x]"];
const POLICIES = ["P1", "P2"];

const compiled = compile(
  POLICIES.map((name) => ({ name, statement: [{ effect: "allow", action: ["*"], resource: "*" }] })),
  { partition: "svc", evaluator: "extended" },
);
const loaded = { policies: compiled, via: () => [] };

const decision = fc.record({
  user: fc.constantFrom(...USERS),
  action: fc.constantFrom(...ACTIONS),
  arn: fc.constantFrom(...ARNS),
  effect: fc.constantFrom("allow", "neutral", "deny") as fc.Arbitrary<"allow" | "neutral" | "deny">,
  policy: fc.option(fc.nat(1), { nil: undefined }),
});
const filter: fc.Arbitrary<RecordFilter> = fc
  .record(
    {
      subject: fc.constantFrom("alice", "a*", "[a]", "?l*", "nobody"),
      action: fc.constantFrom("fs:ReadObject", "fs:*"),
      resource: fc.constantFrom("*a", "*[x]", "arn:svc:fs:::repository/a"),
      decision: fc.constantFrom("allow", "deny", "neutral"),
      policy: fc.constantFrom("P1", "P*"),
    },
    { requiredKeys: [] },
  )
  .map((one) => one as RecordFilter);

/** Whether a record answers a filter, without any index. */
function answers(record: LoggedDecision, wanted: RecordFilter): boolean {
  const one = (text: string | undefined, value: string | null | undefined) =>
    text === undefined || (value !== null && value !== undefined && wildcardMatch(text, value));
  const items = record.items ?? [
    { resource: record.resource, effect: record.effect, determining: record.determining },
  ];
  return items.some((item) => {
    const own = item as { subject?: { id: string }; action?: string };
    const effect = item.effect ?? "allow";
    const policies = item.determining.map(({ policy }) => policy);
    return (
      one(wanted.subject, own.subject?.id ?? record.subject.id) &&
      one(wanted.action, own.action ?? record.action) &&
      one(wanted.resource, item.resource?.arn) &&
      (wanted.decision === undefined ||
        (wanted.decision === "deny" ? effect !== "allow" : effect === wanted.decision)) &&
      (wanted.policy === undefined || policies.some((policy) => one(wanted.policy, policy)))
    );
  });
}

describe("the index of records", () => {
  it("finds what a reader of the segments finds, page by page, also when it is made anew", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(decision, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 20 }),
        fc.array(filter, { minLength: 5, maxLength: 5 }),
        async (calls, filters) => {
          const directory = temporaryFolder();
          let now = 1_700_000_000_000;
          const log = await openTestLog(directory, { segmentBytes: 4_000 }, { now: () => (now += 1) });
          for (const [index, call] of calls.entries()) {
            const batch = log.batch({ entrance: "evaluations", requestId: "r", call: undefined });
            for (const { user, action, arn, effect, policy } of call) {
              batch.about({ user, action, loaded, context: new Map() });
              batch.add(
                { effect },
                arn,
                undefined,
                policy === undefined ? undefined : compiled.statements[policy],
              );
            }
            batch.end();
            if (index % 5 === 0) await log.written();
          }
          await log.close();
          const records = linesOf(join(directory, "n1-0")).filter(isDecision);
          for (const round of [0, 1]) {
            if (round === 1) {
              for (const name of readdirSync(directory)) {
                if (name.startsWith("index-")) writeFileSync(join(directory, name), "no database");
              }
            }
            const index = new IndexDatabase(directory, "n1", 0, decisionRows);
            expect(await index.catchUp()).toEqual(["n1-0"]);
            for (const wanted of filters) {
              const found: string[] = [];
              for (let after = ""; ; ) {
                const page = index.page(wanted, { amount: 3, ...(after === "" ? {} : { after }) });
                found.push(...page.records.map((text) => (JSON.parse(text) as LoggedDecision).id));
                after = page.next;
                if (after === "") break;
              }
              const expected = records.filter((record) => answers(record, wanted)).map(({ id }) => id);
              expect(found).toEqual(expected.reverse());
            }
            index.close();
          }
          rmSync(directory, { recursive: true, force: true });
        },
      ),
      { numRuns: 25 },
    );
  });

  it("follows a log that is written, from a thread", async () => {
    const directory = temporaryFolder();
    const log = await openTestLog(directory);
    const index = new DecisionIndex({
      directory,
      node: "n1",
      worker: 0,
      flush: () => log.written(),
      unwritten: () => log.unwritten(),
    });
    onTestFinished(() => index.close());
    const { place } = await index.since({}, undefined);
    for (const user of ["alice", "bob"]) {
      const batch = log.batch({ entrance: "filter", requestId: "r", call: undefined });
      batch.about({ user, action: "fs:ReadObject", loaded: undefined, context: new Map() });
      batch.add({ effect: "allow" }, "arn:svc:fs:::repository/a");
      batch.end();
    }
    const news = await index.since({ subject: "bob" }, place);
    expect(news.records.map((text) => (JSON.parse(text) as LoggedDecision).subject.id)).toEqual(["bob"]);
    expect((await index.since({}, news.place)).records).toEqual([]);
    expect(await index.get("d-1")).toContain('"alice"');
    expect(await index.get("d-9")).toBeUndefined();
    expect((await index.page({}, { amount: 10 })).chains).toEqual(["n1-0"]);
    await log.close();
  });
});
