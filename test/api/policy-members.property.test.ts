/**
 * A write keeps what restricts (spec/evaluation §11): on every way in, a policy is refused, or it is stored, served and decided with
 * all that it says. What a text says is read here by a reader of its own, which keeps what `JSON.parse` drops.
 */
import { EmbeddedAuthorizer } from "@svc-authorizer/client/embedded/embedded-authorizer.ts";
import { readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { parseDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { parseDocument as parseStatements } from "@svc-authorizer/svcctl/auth/policies/statement-document.ts";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import fc from "fast-check";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { closedAfterAll } from "../closed-after-all.ts";
import { readFixture } from "../read-fixture.ts";

interface MemberCase {
  readonly name: string;
  readonly text: string;
  readonly stored?: readonly object[];
  /** Pointers of members that are refused by their names. */
  readonly refused?: readonly string[];
  readonly says?: string;
  /** Pointer of a member that the JSON text has twice. */
  readonly repeated?: string;
}

const { cases: CASES } = readFixture<{ cases: readonly MemberCase[] }>("documents/policy-members/cases.json");

const ADMIN = { access_key_id: "AKIAJADMINADMINADMQ", secret_access_key: "secret-of-the-administrator" };
const DATASET = {
  format: 1,
  preconfigured: true,
  users: [{ username: "admin", groups: ["Admins"], credentials: [ADMIN] }],
} as const;

let session: string;

async function send(url: string, token: string, method: string, text?: string) {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(text === undefined ? {} : { body: text }),
  });
  const body = (await response.json().catch(() => undefined)) as Record<string, unknown>;
  return { status: response.status, body, message: JSON.stringify(body) };
}

const service = await closedAfterAll(startAuthorizer({ dataset: DATASET }));
beforeAll(async () => {
  const login = await send(`${service.userUrl}/api/v1/auth/login`, "", "POST", JSON.stringify(ADMIN));
  session = login.body["token"] as string;
});
beforeEach(() => service.reset());

/** The result of one way in: the statements that it took, or the text of the refusal. */
type Outcome = { readonly taken: readonly unknown[] } | { readonly refused: string };

/** A policy's text with a name as its first member. */
function named(text: string, member: string): string {
  return `{"${member}":"P",${text.slice(1)}`;
}

/** The text of the policy as the only one of a list. */
async function overHttp(url: string, token: string, text: string): Promise<Outcome> {
  const { status, body, message } = await send(url, token, "POST", text);
  if (status === 400) return { refused: message };
  expect(status, message).toBe(201);
  const stored = await service.directory.policies.get("P");
  // What is answered is what is stored.
  expect(body["statement"]).toEqual(stored.statement);
  return { taken: stored.statement };
}

/** The ways in, by name. Files and applications know no other members of a policy than their schemas. */
const WAYS: Readonly<Record<string, (text: string) => Promise<Outcome> | Outcome>> = {
  "data-server API": (text) =>
    overHttp(`${service.url}/api/v1/auth/policies`, service.token, named(text, "name")),
  "management API": (text) => overHttp(`${service.userUrl}/api/v1/auth/policies`, session, named(text, "id")),
  "svcctl auth policies create": (text) => {
    try {
      return { taken: parseStatements(text) };
    } catch (error) {
      return { refused: (error as Error).message };
    }
  },
};

const CLOSED_WAYS: typeof WAYS = {
  apply: async (text) => {
    const documents = `[{"format":1,"policies":[${named(text, "name")}]}]`;
    const body = `{"manager":"m","documents":${documents}}`;
    const { status, message } = await send(`${service.userUrl}/api/v1/auth/apply`, session, "POST", body);
    if (status === 400) return { refused: message };
    expect(status, message).toBe(200);
    return { taken: (await service.directory.policies.get("P")).statement };
  },
  "files of policies": (text) => {
    const read = parseDocument("p.json", named(text, "name"));
    if ("problems" in read) return { refused: JSON.stringify(read.problems) };
    const { problems, policies } = readPolicies(read.source, "p");
    return problems.length > 0
      ? { refused: JSON.stringify(problems) }
      : { taken: policies[0]?.statement ?? [] };
  },
  simulate: async (text) => {
    const given = named(text, "name");
    const required = `{"action":"fs:ReadObject","resource":"*"}`;
    const { status, message } = await send(
      `${service.url}/access/v1/simulate`,
      service.token,
      "POST",
      `{"user":"u","policies":[${given}],"required":${required}}`,
    );
    return status === 400 ? { refused: message } : { taken: [] };
  },
};

describe("the members of policies", () => {
  for (const [way, take] of Object.entries({ ...WAYS, ...CLOSED_WAYS })) {
    const isClosed = way in CLOSED_WAYS;
    const cases = CASES.filter(({ text }) => !isClosed || !text.includes("description"));
    it.each(cases)(`${way}: $name`, async ({ text, stored, refused = [], says, repeated }) => {
      const outcome = await take(text);
      if (stored !== undefined) {
        if (way !== "simulate") expect(outcome).toEqual({ taken: stored });
        else expect(outcome).toHaveProperty("taken");
        return;
      }
      const message = (outcome as { refused: string }).refused;
      expect(message, "refused").toBeTypeOf("string");
      for (const pointer of repeated === undefined ? refused : [repeated]) {
        const steps = pointer
          .replaceAll(/\/(\d+)/g, "[$1]")
          .replaceAll("/", ".")
          .slice(1);
        const decoded = steps.replaceAll("~1", "/").replaceAll("~0", "~");
        const names = [pointer, decoded].some(
          (one) => message.includes(one) || message.includes(JSON.stringify(one).slice(1, -1)),
        );
        expect(names, `${pointer} in ${message}`).toBe(true);
      }
      const isOuter = refused.every((pointer) => !pointer.startsWith("/statement/"));
      if (says !== undefined && !(isClosed && isOuter))
        expect(message).toContain(
          JSON.stringify(says)
            .slice(1, -1)
            .replaceAll('\\"', message.includes('\\"') ? '\\"' : '"'),
        );
    });
  }

  it("are counted by known names", async () => {
    const metrics = async () => (await fetch(`${service.metricsUrl}/metrics`)).text();
    const count = async (member: string) =>
      Number(
        new RegExp(`refused_policy_members_total\\{member="${member}"\\} (\\d+)`).exec(await metrics())?.[1],
      );
    const before = [await count("notaction"), await count("other")];
    const statement = { effect: "allow", action: ["*"], resource: "*", NotAction: [], somebodysOwn: 1 };
    await WAYS["data-server API"]?.(JSON.stringify({ statement: [statement] }));
    expect([await count("notaction"), await count("other")]).toEqual([before[0]! + 1, before[1]! + 1]);
    expect(await metrics()).not.toContain("somebodysOwn");
  });
});

/** A JSON object as its text says it: every member in order, also what is there twice. */
type Said = readonly (readonly [name: string, value: string])[];

const KNOWN = ["sid", "effect", "action", "resource", "condition"];
const inAnyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map((ups) => [...name].map((letter, at) => (ups[at] ? letter.toUpperCase() : letter)).join(""));

const VALUES: Readonly<Record<string, readonly string[]>> = {
  sid: ['"A"', '"B"'],
  effect: ['"allow"', '"deny"'],
  action: ['["fs:ReadObject"]', '["*"]'],
  resource: ['"*"', '"arn:svc:fs:::repository/r"'],
  condition: [
    '{"IpAddress":{"SourceIp":["10.0.0.0/8"]}}',
    '{"IpAddress":{"SourceIp":["10.0.0.0/8"]},"IpAddress":{"SourceIp":["0.0.0.0/0"]}}',
    '{"StringEquals":{"subject.a":["x"],"subject.b":["y"]}}',
  ],
};

const member = fc.oneof(
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(...KNOWN)
      .chain((name) => fc.tuple(inAnyCase(name), fc.constantFrom(...VALUES[name]!))),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom("conditions", "notAction", "expires", "comment", "id", "éffect"),
      fc.constant('"x"'),
    ),
  },
);
const wholeStatement = fc
  .tuple(
    ...["effect", "action", "resource"].map((name) =>
      fc.tuple(inAnyCase(name), fc.constantFrom(...VALUES[name]!)),
    ),
  )
  .chain((whole) =>
    fc
      .array(member, { maxLength: 2 })
      .chain((more) => fc.shuffledSubarray([...whole, ...more], { minLength: whole.length + more.length })),
  );
const statements = fc.array(wholeStatement, { minLength: 1, maxLength: 2 });

const textOf = (said: Said) =>
  `{${said.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
const repeatsInside = (value: string) => /"IpAddress".*"IpAddress"/.test(value);

/** The meaning of the statement, or undefined where some of it cannot be kept. */
function meaningOf(said: Said): Record<string, unknown> | undefined {
  const meaning: Record<string, unknown> = {};
  for (const [name, value] of said) {
    const known = KNOWN.find((one) => one === name.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
    if (known === undefined || known in meaning || repeatsInside(value)) return undefined;
    meaning[known] = JSON.parse(value);
  }
  return meaning;
}

it("every way in refuses a document, or takes all that it says", async () => {
  let number = 0;
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(statements, async (said) => {
      const text = `{"statement":[${said.map(textOf).join(",")}]}`;
      const meaning = said.map(meaningOf);
      const expected = meaning.every((one) => one !== undefined) ? meaning : undefined;
      if (expected !== undefined) taken++;
      for (const [way, take] of Object.entries({ ...WAYS, ...CLOSED_WAYS })) {
        if (number++ % 3 === 0) await service.reset();
        await service.directory.policies.delete("P").catch(() => undefined);
        const outcome = await take(text);
        if (expected === undefined) expect(outcome, `${way} ${text}`).toHaveProperty("refused");
        else if (way === "simulate") expect(outcome, `${way} ${text}`).toHaveProperty("taken");
        else expect(outcome, `${way} ${text}`).toEqual({ taken: expected });
      }
    }),
    { numRuns: 60 },
  );
  expect(taken).toBeGreaterThan(5);
});

it("an embedded decision point refuses them in a data set, too", () => {
  const open = (statement: object, beside: object = {}) =>
    EmbeddedAuthorizer.fromDataset({
      format: 1,
      policies: [{ name: "P", statement: [statement], ...beside } as never],
    });
  const whole = { effect: "allow", action: ["fs:*"], resource: "*" };
  expect(() => open({ ...whole, notAction: [] })).toThrow(/notAction/);
  expect(() => open(whole, { condition: {} })).toThrow(/condition/);
  expect(() => open({ Effect: "allow", Action: ["fs:*"], Resource: "*" })).not.toThrow();
});
