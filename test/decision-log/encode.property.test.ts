import { readFileSync } from "node:fs";
import { compile } from "@svc-authorizer/policy/engine/compile/compile.ts";
import { decide } from "@svc-authorizer/policy/engine/decide/decide.ts";
import { DecidingStatements } from "@svc-authorizer/policy/engine/decide/deciding-place.ts";
import {
  type ConditionFields,
  type FieldValue,
  type RequiredPermissions,
  UNREADABLE,
} from "@svc-authorizer/policy/model/decision.ts";
import { NO_DIGEST } from "@svc-authorizer/policy/records/digests.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import { questionsOf } from "@svc-authorizer/policy/records/recorded-questions.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { policiesOf, required } from "../../packages/policy/test/engine/arbitraries.ts";
import type { LineText } from "../../src/decision-log/chain/chain-line.ts";
import { LineBuffer } from "../../src/decision-log/chain/line-buffer.ts";
import { RecordEncoder } from "../../src/decision-log/encode/encode.ts";
import { EncodedBatch } from "../../src/decision-log/encode/encode-batch.ts";
import type { Decided } from "../../src/decisions/decision-log.ts";
import { ENTRANCES } from "../../src/decisions/entrances.ts";
import { schemaRef } from "../../src/http/schema/schema-forms.ts";
import { userDocument } from "../../src/listeners/user-document.ts";
import { ajvWith, compile as compileSchema } from "../api/openapi/schema-check.ts";
import { sized } from "../proofs/size.ts";

const schema = JSON.parse(
  readFileSync(new URL("../../policies/schema/decision.schema.json", import.meta.url), "utf8"),
);
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
const isLine = ajv.compile(schema);
/** As the API documents records: a line that is about decisions. */
const isRecord = compileSchema(ajvWith(userDocument("1").components.schemas), schemaRef("DecisionRecord"));

const text = fc.string({ unit: "binary", maxLength: 12 });
const value: fc.Arbitrary<FieldValue> = fc.oneof(
  text,
  fc.array(text, { maxLength: 3 }),
  fc.constant(UNREADABLE),
);
const context: fc.Arbitrary<ConditionFields> = fc
  .array(fc.tuple(fc.constantFrom("SourceIp", "subject.team", "action.user", 'x"y'), value), { maxLength: 4 })
  .map((fields) => new Map(fields));
const call = fc.option(
  fc.record({
    caller: fc.record({ name: text }),
    peer: fc.option(fc.ipV4(), { nil: undefined }),
    startedAt: fc.constant(0),
    traceParent: fc.constantFrom(undefined, "nonsense", `00-${"a1".repeat(16)}-${"b2".repeat(8)}-01`),
  }),
  { nil: undefined },
);
const asked = fc.record({ type: text, id: text });

/** Two permissions, each allowed by a policy of its own: random ones are seldom decided by several statements. */
const twoPlaces = {
  policies: fc.constant(
    ["fs:ReadObject", "fs:WriteObject"].map((action) => ({
      name: action,
      statement: [{ effect: "allow" as const, action: [action], resource: "*" }],
    })),
  ),
  required: fc.constant<RequiredPermissions>({
    and: ["fs:ReadObject", "fs:WriteObject"].map((action) => ({ action, resource: "arn:svc:fs:::a" })),
  }),
};

const texts = { user: text, context, call, asked, requestId: text };

/** Decisions as the use cases hand them over: the statements are those that decided. */
const decided: fc.Arbitrary<Decided> = fc
  .oneof(
    { weight: 9, arbitrary: fc.record({ policies: policiesOf(40), required, ...texts }) },
    { weight: 1, arbitrary: fc.record({ ...twoPlaces, ...texts }) },
  )
  .chain(({ policies, user, required: tree, ...rest }) => {
    const compiled = compile(policies, { partition: "svc", evaluator: "extended" });
    const statements = new DecidingStatements();
    const request = { user, required: tree, context: rest.context, decidedBy: statements };
    const outcome = decide(compiled, request);
    return fc.record({
      id: fc.constant("d-1"),
      entrance: fc.constantFrom(...ENTRANCES),
      requestId: fc.constant(rest.requestId),
      call: fc.constant(rest.call),
      user: fc.constantFrom(user, null),
      loaded: fc.constant({ policies: compiled, via: () => [{ group: "Readers" }, { user }] }),
      required: fc.constantFrom(tree, tree, tree, null),
      resource: fc.constant(rest.asked),
      operation: fc.constantFrom(null, "GetObject"),
      context: fc.constant(rest.context),
      outcome: fc.constant(outcome),
      decidedBy: fc.constant(statements.all),
    });
  });

const encoderOf = () =>
  new RecordEncoder({
    node: 'n"1',
    policySet: "477d52c37ac9",
    revision: () => 3,
    entry: () => "9PdWm1sY",
  });

/** The line that a chain makes of a text. */
function lineOf(record: LineText): LoggedDecision {
  const buffer = new LineBuffer(NO_DIGEST);
  buffer.add(record);
  const bytes = Buffer.concat([...buffer.take().blocks]).toString("utf8");
  expect(bytes.indexOf("\n")).toBe(bytes.length - 1);
  const line: unknown = JSON.parse(bytes);
  expect(isLine(line), JSON.stringify(isLine.errors)).toBe(true);
  expect(isRecord(line), JSON.stringify(isRecord.errors)).toBe(true);
  return line as LoggedDecision;
}

describe("a record", () => {
  it("follows the schema and says what was decided, whatever the texts", () => {
    let several = 0;
    fc.assert(
      fc.property(decided, (one) => {
        const line = lineOf({ head: encoderOf().decision(one) });
        const { effect } = one.outcome;
        expect(line).toMatchObject({
          format: 1,
          id: "d-1",
          node: 'n"1',
          revision: 3,
          entry: "9PdWm1sY",
          entrance: one.entrance,
          request_id: wellFormed(one.requestId),
          subject: { type: "user", id: one.user === null ? null : wellFormed(one.user) },
          effect,
          decision: effect === "allow",
          caller: { name: wellFormed(one.call?.caller.name ?? "") },
        });
        const places = new Set(one.decidedBy.map(({ policy, index }) => `${policy.name} ${index}`));
        expect(new Set(line.determining.map(({ policy, statement }) => `${policy} ${statement}`))).toEqual(
          places,
        );
        if (places.size > 1) several++;
        if (one.required !== null && "action" in one.required) {
          expect(line.action).toBe(wellFormed(one.required.action));
          const { id = "", type = "" } = one.resource ?? {};
          expect(line.resource).toEqual({
            arn: wellFormed(one.required.resource),
            // A resource that is asked for by its ARN has no other name.
            ...(type !== "arn" && { type: wellFormed(type), id: wellFormed(id) }),
          });
        } else expect(line.required).toEqual(JSON.parse(JSON.stringify(one.required)));
      }),
      { numRuns: sized(300, 3_000) },
    );
    expect(several).toBeGreaterThan(0);
  });

  it("has nothing of the records before it", () => {
    const peer = fc.constantFrom(undefined, "10.0.0.1", "10.0.0.2");
    const asking = fc.record({
      entrance: fc.constantFrom("check" as const, "evaluation" as const),
      name: fc.constantFrom("", "gateway", "batch"),
      peer,
      revision: fc.constantFrom(3, 4),
      now: fc.constantFrom(1_000, 1_001, 61_001),
    });
    fc.assert(
      fc.property(fc.array(asking, { minLength: 2, maxLength: 8 }), (records) => {
        let current = records[0] as (typeof records)[number];
        const encoder = new RecordEncoder({
          node: "n1",
          policySet: "477d52c37ac9",
          revision: () => current.revision,
          now: () => current.now,
        });
        for (const record of records) {
          current = record;
          const head = encoder.decision({
            id: "d-1",
            entrance: record.entrance,
            requestId: "r",
            call: { caller: { name: record.name }, peer: record.peer, startedAt: 0, traceParent: undefined },
            user: "alice",
            loaded: undefined,
            required: null,
            context: new Map(),
            outcome: { effect: "neutral" },
            decidedBy: [],
          });
          const { entrance, caller, revision, at } = lineOf({ head });
          expect({ entrance, caller, revision, at }).toEqual({
            entrance: record.entrance,
            caller: { name: record.name, ...(record.peer !== undefined && { peer: record.peer }) },
            revision: record.revision,
            at: new Date(record.now).toISOString(),
          });
        }
      }),
    );
  });

  it("has the condition fields that are read, and no other", () => {
    const policies = [
      {
        name: "p",
        statement: [
          {
            effect: "allow",
            action: ["*"],
            resource: "*",
            condition: { StringEquals: { "subject.team": ["a"], "context.tags": ["b"] } },
          },
        ],
      },
    ];
    const compiled = compile(policies, { partition: "svc", evaluator: "extended" });
    const fields = new Map<string, FieldValue>([
      ["subject.team", "a"],
      ["subject.secret", "hidden"],
      ["context.tags", ["b", "c"]],
      ["context.body", "hidden"],
      ["SourceIp", "10.0.0.1"],
    ]);
    const line = lineOf({
      head: encoderOf().decision({
        id: "d-1",
        entrance: "evaluation",
        requestId: "r",
        call: undefined,
        user: "alice",
        loaded: { policies: compiled, via: () => [] },
        required: { action: "fs:ReadObject", resource: "*" },
        context: fields,
        outcome: { effect: "neutral" },
        decidedBy: [],
      }),
    });
    expect(line.subject).toEqual({ type: "user", id: "alice", properties: { team: "a" } });
    expect(line.context).toEqual({ SourceIp: "10.0.0.1", "context.tags": ["b", "c"] });
    expect(JSON.stringify(line)).not.toContain("hidden");
  });
});

/** A batch of a log that keeps eight decisions of it, and its record once it has ended. */
function batchOf(encoder: RecordEncoder, wants: (effect: string) => boolean) {
  let record: LineText = { head: "" };
  const log = {
    encoder,
    items: 8,
    wants,
    appendItems: (head: string, bytes: Buffer, tail: string) => {
      record = { head, items: Buffer.from(bytes), tail };
      return undefined;
    },
    nextId: () => "d-1",
  };
  const question = { entrance: "evaluations", requestId: "r", call: undefined } as const;
  return { batch: new EncodedBatch(log as never, question), record: () => record };
}

describe("the record of a batch", () => {
  const item = fc.record({
    user: fc.constantFrom("alice", "bob"),
    action: fc.constantFrom("fs:ReadObject", "fs:WriteObject"),
    // Long ones too: a batch is written in several parts.
    arn: fc.tuple(text, fc.constantFrom(1, 1, 1, 2_000)).map(([one, times]) => one.repeat(times)),
    asked: fc.option(asked, { nil: undefined }),
    effect: fc.constantFrom("allow", "neutral", "deny") as fc.Arbitrary<"allow" | "neutral" | "deny">,
  });

  it("names the revision of each decision, and gives each that is selected an id", () => {
    const revisions = [3, 3, 4, 4, 3];
    let revision = 3;
    const encoder = new RecordEncoder({ node: "n1", policySet: "477d52c37ac9", revision: () => revision });
    const { batch, record } = batchOf(encoder, (effect) => effect !== "allow");
    const ids = revisions.map((now, index) => {
      revision = now;
      batch.about({ user: "alice", action: "fs:ReadObject", loaded: undefined, context: new Map() });
      batch.add({ effect: index === 1 ? "allow" : "neutral" }, `arn:${index}`);
      return batch.lastId();
    });
    revision = 9;
    batch.end();
    const line = lineOf(record());
    expect(line).toMatchObject({ id: "d-1", revision: 3 });
    expect(line.items?.map((one) => one.revision)).toEqual([undefined, 4, 4, undefined]);
    expect(ids).toEqual(["d-1.0", undefined, "d-1.1", "d-1.2", "d-1.3"]);
    expect(questionsOf(line).map((one) => one.revision)).toEqual([3, 4, 4, 3]);
  });

  it("has every item up to the limit, and the counts of all", () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 12 }), (items) => {
        const { batch, record } = batchOf(encoderOf(), () => true);
        for (const { user, action, arn, asked: given, effect } of items) {
          batch.about({ user, action, loaded: undefined, context: new Map() });
          batch.add({ effect }, arn, given);
        }
        batch.end();
        const line = lineOf(record());
        const counts = { allow: 0, neutral: 0, deny: 0 };
        for (const { effect } of items) counts[effect]++;
        expect(line.counts).toEqual(counts);
        expect(line.decision).toBe(items.length > 0 && counts.allow === items.length);
        const shown = line.items?.map((one) => ({
          user: (one.subject ?? line.subject).id,
          action: one.action ?? line.action,
          arn: one.resource.arn,
          effect: one.effect ?? "allow",
        }));
        const expected = items.slice(0, 8).map(({ user, action, arn, effect }) => ({
          user,
          action,
          arn: wellFormed(arn),
          effect,
        }));
        expect(shown).toEqual(expected);
      }),
      { numRuns: sized(100, 500) },
    );
  });
});

function wellFormed(one: string): string {
  return JSON.parse(JSON.stringify(one)) as string;
}
