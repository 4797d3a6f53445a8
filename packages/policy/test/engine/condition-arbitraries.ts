/** Random conditions with every operator, and fields that they often meet. */
import fc from "fast-check";
import type { FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import { UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";

const TEXTS = ["", "a", "A", "ab", "alice", "*", "?", "é", "É", "日", "${user}", "true", "false", "1", "01"];
const NUMBERS = ["0", "-0", "1", "1.0", "1e0", "-2.5", "10", "9007199254740991", "9007199254740992", "1e400"];
const DATES = [
  "2026",
  "2026-06",
  "2026-06-30",
  "2026-06-30T12:00Z",
  "2026-06-30T14:00:00+02:00",
  "2026-06-30T12:00:00.0005Z",
  "1782820800",
  "1782820800.5",
  "-1",
  "0001-01-01",
  "2024-02-29",
  "2026-02-29",
  "2026-06-30T24:00Z",
  "2026-06-30T12:00:00",
];
const ADDRESSES = [
  "10.1.2.3",
  "::10.1.2.3",
  "::a01:203",
  "::ffff:10.1.2.3",
  "10.0.0.1",
  "2001:db8::1",
  "10.1.2.3:80",
  "fe80::1%eth0",
];
const RANGES = ["10.0.0.0/8", " 10.1.2.3 ", "::/0", "2001:db8::/32", "10.0.0.0/33"];
const PATTERNS = ["*", "a*", "?", "*?", "a", "??", "*l?ce", ""];
const TEMPLATES = [
  "${user}",
  "x${user}",
  "${context.t}",
  "${subject.t}*",
  "${resource.t, 'a'}",
  "${*}",
  "${?}",
  "${$}{user}",
  "${nobody}",
  "${user",
  "a${context.t}${user}",
];

const from = (...lists: readonly (readonly string[])[]): fc.Arbitrary<string> =>
  fc.constantFrom(...lists.flat());
const rarely = (usual: fc.Arbitrary<string>, odd: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: odd });

/** Base names and what their values mostly are. */
const BASES: readonly (readonly [string, fc.Arbitrary<string>])[] = [
  ...["StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase"].map(
    (name) => [name, from(TEXTS, TEXTS, TEMPLATES)] as const,
  ),
  ...["StringLike", "StringNotLike"].map((name) => [name, from(TEXTS, PATTERNS, TEMPLATES)] as const),
  ...["Equals", "NotEquals", "LessThan", "LessThanEquals", "GreaterThan", "GreaterThanEquals"].flatMap(
    (name) =>
      [
        [`Numeric${name}`, rarely(from(NUMBERS.slice(0, 8)), from(NUMBERS, TEXTS))],
        [`Date${name}`, rarely(from(DATES.slice(0, 11)), from(DATES, NUMBERS))],
      ] as const,
  ),
  ["Bool", rarely(from(["true", "false"]), from(TEXTS))],
  ...["IpAddress", "NotIpAddress"].map(
    (name) =>
      [name, rarely(from(RANGES.slice(0, 4), ADDRESSES.slice(0, 4)), from(RANGES, ADDRESSES))] as const,
  ),
];

const field = fc.constantFrom(
  "SourceIp",
  "context.t",
  "context.n",
  "context.d",
  "context.ip",
  "subject.t",
  "resource.t",
);

const operator = fc.constantFrom(...BASES).chain(([base, value]) =>
  fc.tuple(
    fc
      .tuple(fc.constantFrom("", "ForAnyValue:", "ForAllValues:"), fc.constantFrom("", "IfExists"))
      .map(([quantifier, suffix]) => `${quantifier}${base}${suffix}`),
    fc.dictionary(field, fc.array(value, { maxLength: 3 }), {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    }),
  ),
);
const presence = fc.tuple(
  fc.constant("Null"),
  fc.dictionary(field, fc.array(fc.constantFrom("true", "false"), { minLength: 1, maxLength: 2 }), {
    maxKeys: 2,
    noNullPrototype: true,
  }),
);
const unknown = fc.tuple(
  fc.constantFrom("Unheard", "NullIfExists", "stringequals", "ForAnyValue:Null"),
  fc.constant({}),
);

/** Conditions of one to `most` operators. */
export const conditionOf = (most: number): fc.Arbitrary<Condition> =>
  fc
    .array(
      fc.oneof(
        { weight: 40, arbitrary: operator },
        { weight: 4, arbitrary: presence },
        { weight: 1, arbitrary: unknown },
      ),
      { minLength: 1, maxLength: most },
    )
    .map((entries) => Object.fromEntries(entries));

const text = from(TEXTS, NUMBERS, DATES, ADDRESSES);
const anyValue: fc.Arbitrary<FieldValue> = fc.oneof(
  { weight: 12, arbitrary: text },
  { weight: 4, arbitrary: fc.array(text, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant(UNREADABLE) },
);
const mostly = (usual: fc.Arbitrary<string>): fc.Arbitrary<FieldValue> =>
  fc.oneof(
    { weight: 6, arbitrary: usual },
    { weight: 3, arbitrary: fc.array(usual, { maxLength: 3 }) },
    { weight: 2, arbitrary: anyValue },
  );

/** Fields of a request, where any may be missing, a list, or unreadable. */
export const conditionFields: fc.Arbitrary<Map<string, FieldValue>> = fc
  .record(
    {
      SourceIp: mostly(from(ADDRESSES.slice(0, 4))),
      "context.t": mostly(from(TEXTS)),
      "context.n": mostly(from(NUMBERS)),
      "context.d": mostly(from(DATES)),
      "context.ip": mostly(from(ADDRESSES)),
      "subject.t": mostly(from(TEXTS)),
      "resource.t": mostly(from(TEXTS)),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((fields) => new Map(Object.entries(fields) as [string, FieldValue][]));

/** Fields as a data server supplies them: an address, or something else in its place. */
export const sourceIp = fc.oneof(
  { weight: 8, arbitrary: from(ADDRESSES.slice(0, 4)) },
  { weight: 1, arbitrary: from(ADDRESSES, TEXTS) },
);
