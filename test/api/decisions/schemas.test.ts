import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaRef } from "../../../src/http/schema/schema-forms.ts";
import { closedAfterAll } from "../../closed-after-all.ts";
import { post, startService } from "../../http/service-kit.ts";
import { requestProblems } from "../openapi/schema-check.ts";

const service = await closedAfterAll(startService());

const RUNS = 250;

/** JSON of any type, rarely where another type is wanted. */
const anything = fc.oneof(
  fc.constantFrom(null, true, 0, -1.5, "", "text", [], {}, ["a"], [1, null], { a: 1 }, [{}]),
  fc.string({ maxLength: 5 }),
);
const mostly = <T>(wanted: fc.Arbitrary<T>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 24, arbitrary: wanted as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: anything });
const text = mostly(fc.constantFrom("alice", "nobody", "user", "arn", "fs:ReadObject", ""));
const texts = mostly(fc.array(text, { maxLength: 3 }));

/** An object with some of these fields, and now and then one that nobody knows. */
function some(fields: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]) {
  const { unknown: extra, ...known } = { ...fields, unknown: anything };
  return fc
    .tuple(
      fc.record(known, { requiredKeys: [...required] as never[] }),
      fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: extra }),
      fc.oneof(
        { weight: 8, arbitrary: fc.constant("") },
        { weight: 1, arbitrary: fc.constantFrom("", ...required) },
      ),
    )
    .map(([object, unknown, dropped]) => {
      const left = Object.entries(object).filter(([name]) => name !== dropped);
      return Object.fromEntries([...left, ...(unknown === undefined ? [] : [["unknown", unknown]])]);
    });
}

const properties = mostly(fc.constantFrom(null, {}, { a: [1], b: { c: null } }));
const subject = mostly(some({ type: text, id: text, properties }, ["type", "id"]));
const action = mostly(some({ name: text, properties }, ["name"]));
const resource = mostly(
  some({ type: mostly(fc.constantFrom("arn", "unheard")), id: text, properties }, ["type", "id"]),
);
const PARTS = { subject, action, resource, context: properties };
const element = mostly(some(PARTS, []));
const options = mostly(
  some(
    // The other semantics leave out elements, and with them their faults.
    { evaluations_semantic: mostly(fc.constantFrom(null, "execute_all", "no")) },
    [],
  ),
);

const leaf = some({ action: text, resource: text }, ["action", "resource"]);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: mostly(
    fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      some({ any_resource: mostly(some({ action: text }, ["action"])) }, ["any_resource"]),
      some({ and: mostly(fc.array(tie("tree"), { maxLength: 3 })) }, ["and"]),
      some({ or: mostly(fc.array(tie("tree"), { maxLength: 3 })) }, ["or"]),
    ),
  ),
}));
const context = mostly(
  fc.constantFrom<unknown>(
    null,
    { SourceIp: "10.0.0.1", n: 1, list: ["a", true, 2], deep: { a: { b: null } } },
    { a: [null] },
    { a: { b: [[]] } },
    { a: [{}] },
  ),
);

/** A part that neither the element nor the top level has: no schema can say that one of the two needs it. */
const INHERITED = /^\/evaluations\/\d+\/(subject|action|resource): required$/;

/** Whether the service takes a body: answers it, and finds no fault in the form of any element. */
async function isTaken(path: string, body: unknown): Promise<boolean> {
  const answer = await post(service, path, body === undefined ? null : JSON.stringify(body));
  expect([200, 400]).toContain(answer.status);
  const elements: readonly { context?: { error?: { message: string } } }[] = answer.body.evaluations ?? [];
  const faults = elements.flatMap(({ context }) =>
    (context?.error?.message ?? "").replace("invalid request: ", "").split("; "),
  );
  return answer.status === 200 && faults.every((fault) => fault === "" || INHERITED.test(fault));
}

describe("the hand-written readers of the hot calls take exactly what the declared schemas do", () => {
  const cases: readonly (readonly [string, string, fc.Arbitrary<unknown>])[] = [
    ["/access/v1/evaluation", "EvaluationRequest", some(PARTS, ["subject", "action", "resource"])],
    [
      "/access/v1/evaluations",
      "EvaluationsRequest",
      some({ ...PARTS, evaluations: mostly(fc.array(element, { maxLength: 3 })), options }, [
        "subject",
        "action",
        "resource",
      ]),
    ],
    [
      "/access/v1/check",
      "CheckRequest",
      some(
        { user: text, groups: texts, token: text, required: tree, context, explain: mostly(fc.boolean()) },
        ["user", "required"],
      ),
    ],
  ];

  it.each(cases)("%s", takesWhatTheSchemaDoes);
});

const page = mostly(some({ limit: mostly(fc.constantFrom(null, 1, 5000)) }, []));
const statement = some(
  {
    sid: mostly(fc.constantFrom(null, "Named")),
    effect: text,
    action: texts,
    resource: text,
    condition: mostly(fc.constantFrom<unknown>(null, {}, { A: { b: ["c"] } }, { A: { b: "c" } }, { A: [] })),
  },
  ["effect", "action", "resource"],
);
/** An entity that is searched for: it has a type alone, and its id is ignored, whatever it is. */
const searched = mostly(
  some({ type: mostly(fc.constantFrom("user", "repository")), id: anything, properties }, ["type"]),
);
/** A request that no rule beyond the schema refuses: it names no host, and headers only that cannot contradict. */
const wireRequest = some(
  {
    user: text,
    groups: texts,
    token: text,
    method: mostly(fc.constantFrom("GET", "PUT", "POST", "DELETE", "HEAD", "PATCH", "x!", "NO SUCH")),
    path: mostly(
      fc.constantFrom(
        "/",
        "/api/v1/repositories/data",
        "/a/%zz",
        "//",
        "/a\u0000",
        "/a b",
        "relative",
        "/a?b",
      ),
    ),
    query: mostly(
      fc.oneof(
        fc.constantFrom("", "path=a&path=b", "%zz", "a=#b"),
        fc.dictionary(fc.constantFrom("path", "prefix"), fc.oneof(text, texts)),
      ),
    ),
    headers: mostly(fc.dictionary(fc.constantFrom("Content-Type", "x-other"), text)),
    body: anything,
    api: mostly(fc.constantFrom("main", "gateway", "replication")),
    facts: mostly(fc.dictionary(fc.constantFrom("pull_request.destination_branch", ""), text)),
    context,
  },
  ["user", "method", "path", "api"],
);
const policies = mostly(
  fc.array(
    mostly(
      some({ name: text, statement: mostly(fc.array(statement, { maxLength: 2 })) }, ["name", "statement"]),
    ),
    {
      maxLength: 2,
    },
  ),
);
const simulation = some(
  {
    user: text,
    policies,
    required: tree,
    context,
    explain: mostly(fc.boolean()),
    evaluator: mostly(fc.constantFrom("extended", "data_server")),
  },
  ["user", "policies", "required"],
);

describe("cold calls take exactly what the declared schemas do, which check them", () => {
  const cases: readonly (readonly [string, string, fc.Arbitrary<unknown>])[] = [
    ["/access/v1/request", "RequestCheck", wireRequest],
    [
      "/access/v1/filter",
      "FilterRequest",
      fc.oneof(
        some({ user: text, action: text, resources: texts, context }, ["user", "action", "resources"]),
        some({ user: text, action: text, type: mostly(fc.constant("unheard")), ids: texts, context }, [
          "user",
          "action",
          "type",
          "ids",
        ]),
      ),
    ],
    [
      "/access/v1/simulate",
      "SimulateRequest",
      fc.oneof(
        simulation,
        some({ user: text, candidate: mostly(some({ replace: policies, remove: texts }, [])), list: leaf }, [
          "user",
          "candidate",
          "list",
        ]),
        some(
          { cases: mostly(fc.array(mostly(simulation), { maxLength: 2 })), explain: mostly(fc.boolean()) },
          ["cases"],
        ),
      ),
    ],
    [
      "/access/v1/plan",
      "PlanRequest",
      some({ user: text, action: text, type: text, context }, ["user", "action"]),
    ],
    [
      "/access/v1/who-can",
      "WhoCanRequest",
      some({ action: text, resource: text, context, page }, ["action", "resource"]),
    ],
    [
      "/access/v1/what-can",
      "WhatCanRequest",
      some({ user: text, resource: text, context, page }, ["user", "resource"]),
    ],
    [
      "/access/v1/search/subject",
      "SubjectSearch",
      some({ subject: searched, action, resource, context: properties, page }, [
        "subject",
        "action",
        "resource",
      ]),
    ],
    [
      "/access/v1/search/resource",
      "ResourceSearch",
      some({ subject, action, resource: searched, context: properties, page }, [
        "subject",
        "action",
        "resource",
      ]),
    ],
    [
      "/access/v1/search/action",
      "ActionSearch",
      some({ subject, resource, context: properties, page }, ["subject", "resource"]),
    ],
  ];

  it.each(cases)("%s", takesWhatTheSchemaDoes);
});

it("a streamed filter takes exactly the first lines and items that its schema does", async () => {
  const head = some({ user: text, action: text, type: mostly(fc.constant("unheard")), context }, [
    "user",
    "action",
  ]);
  const ndjson = { "content-type": "application/x-ndjson" };
  // A line of nested values ends the stream.
  const item = text.filter((value) => !JSON.stringify(value).slice(1).match(/[[{]/));
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(mostly(head), fc.array(item, { maxLength: 3 }), async (first, items) => {
      const body = [first, ...items].map((line) => `${JSON.stringify(line)}\n`).join("");
      const answer = await post(service, "/access/v1/filter", body, ndjson);
      const taken = answer.status === 200;
      seen[taken ? "taken" : "refused"]++;
      expect(requestProblems(schemaRef("FilterStreamHead"), first).length === 0).toBe(taken);
      if (!taken) return;
      const lines = answer.text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      const faulty = lines.filter(({ error }) => error !== undefined).map(({ index }) => index);
      const wanted = items.flatMap((item, index) => (typeof item === "string" ? [] : [index]));
      expect(faulty).toEqual(wanted);
    }),
    { numRuns: RUNS },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(RUNS / 20);
});

async function takesWhatTheSchemaDoes(path: string, schema: string, bodies: fc.Arbitrary<unknown>) {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(mostly(bodies), async (body) => {
      const taken = await isTaken(path, body);
      seen[taken ? "taken" : "refused"]++;
      expect(requestProblems(schemaRef(schema), body).length === 0).toBe(taken);
    }),
    { numRuns: RUNS },
  );
  // Neither side is a rare case.
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(RUNS / 20);
}
