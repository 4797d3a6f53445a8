/** Conditions that take long, stored and simulated, in every question that evaluates them. */
import { allow, arn, calling, type HostileCase, range } from "./hostile-calls.ts";
import { sizedInTests } from "./hostile-sizes.ts";

/** Conditions with few values, which variables make long. */
export const variable = range(3, (policy) => ({
  name: `variable-${policy}`,
  statement: [
    {
      ...allow(["fs:ReadObject"], "*"),
      condition: {
        StringLikeIfExists: { "context.t": range(60, (index) => `*\${context.v}?${policy * 60 + index}`) },
      },
    },
  ],
}));

/** The same conditions about the attributes of each resource. */
export const ofResource = variable.map(({ name, statement }) => ({
  name: `of-resource-${name}`,
  statement: statement.map(({ condition, ...one }) => ({
    ...one,
    condition: { ...condition, StringNotEquals: { "resource.team": ["none"] } },
  })),
}));

/** Conditions with very many values that cannot be looked up, in policies that are as large as they may be. */
export const CONDITIONS: readonly HostileCase[] = (
  [
    ["wildcards", "StringLike", (index: number) => `*${index}*b?c`, `${"xyz".repeat(20)}bcc`],
    ["wildcards for lists", "ForAnyValue:StringLike", (index: number) => `*${index}*b?c`, ["xyzbcc", "bcc"]],
    ["wildcards with variables", "StringLikeIfExists", (index: number) => `\${context.v}?${index}`, "xyz"],
    ["variables", "StringEquals", (index: number) => `\${context.v}${index}`, "xyz"],
  ] as const
).map(([what, operator, value, t]) => ({
  name: `${what}: 100,000 values of explained conditions`,
  run: calling("simulate", () => ({
    user: "somebody",
    policies: range(25, (policy) => {
      const values = range(4000, (index) => value(policy * 4000 + index));
      const condition = { [operator]: { "context.t": values } };
      return { name: `long-${policy}`, statement: [{ ...allow(["*"], "*"), condition }] };
    }),
    required: { action: "fs:ReadObject", resource: arn("x") },
    context: { "context.t": t, "context.v": "v" },
    explain: true,
  })),
}));

const LENGTH = sizedInTests(2_000, 4_000);
/** Texts that make each of the values above as long as a variable may be. */
const LONG_CONTEXT = { context: { "context.t": "x".repeat(2 * LENGTH), "context.v": "x".repeat(LENGTH) } };
const LIKE_VARIABLES = range(180, (index) => `*\${context.v}?${index}`);

/** Stored and simulated conditions with variables of many characters, in every question that evaluates them. */
export const VARIABLES: readonly HostileCase[] = (
  [
    ["a check", "check", { user: "variable", required: { action: "fs:ReadObject", resource: arn("x") } }],
    [
      "an explained check",
      "check",
      { user: "variable", required: { action: "fs:ReadObject", resource: arn("x") }, explain: true },
    ],
    [
      "an explained simulation",
      "simulate",
      {
        user: "somebody",
        policies: [
          {
            name: "P",
            statement: [
              { ...allow(["*"], "*"), condition: { StringLikeIfExists: { "context.t": LIKE_VARIABLES } } },
            ],
          },
        ],
        required: { action: "fs:ReadObject", resource: arn("x") },
        explain: true,
      },
    ],
    [
      "a filter",
      "filter",
      { user: "variable", action: "fs:ReadObject", resources: range(50, (n) => arn(`${n}`)) },
    ],
    [
      "a filter by attributes",
      "filter",
      { user: "of-resource", action: "fs:ReadObject", resources: [arn("x")] },
    ],
    ["a plan", "plan", { user: "variable", action: "fs:ReadObject" }],
    ["who can", "who-can", { action: "fs:ReadObject", resource: arn("x") }],
    ["what can", "what-can", { user: "variable", resource: arn("x") }],
  ] as const
).map(([what, path, question]) => ({
  name: `variables of ${LENGTH.toLocaleString("en")} characters: ${what}`,
  // A question that evaluates them again and again is refused.
  statuses: [200, 400],
  run: calling(path, () => ({ ...question, ...LONG_CONTEXT })),
}));
