/** Random conditions with every operator, and fields that they often meet. */

import type { FieldValue } from "@svc-authorizer/policy/model/decision.ts";
import { UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";

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
const ARNS = [
  "arn:aws:iam::1:role/ops-a",
  "arn:aws:iam::1:role/ops:a",
  "arn:aws:iam::2:role/alice",
  "arn:aws:iam:::*",
  "arn::::1:",
  "arn:svc:fs:::a:b",
];
const ARN_PATTERNS = [
  "arn:aws:iam::*:role/ops-*",
  "arn:aws:*::1:*",
  "arn:aws:iam::*:*",
  "arn:*:*:*:*:*",
  "arn:aws:iam::?:role/${user}",
  "arn:aws:iam::1:role/${context.t}*",
  "arn:svc:fs::${context.a}:*",
  "arn:svc:fs:::${context.t, 'a:b'}",
  "arn:svc:fs:::${context.t}:?",
  "a*:aws:iam::1:*",
  "arn:aws:*",
  "${user}:aws:iam::1:x",
];
const TRUTHS = ["true", "false", "True", "FALSE", "tRuE"];
const BINARIES = ["", "QQ==", "QR==", "QQ", "QUI=", "QUJD", "QUJDRA==", "Q-==", "QQ= ", "qq=="];
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
  ["Bool", rarely(from(TRUTHS), from(TEXTS))],
  ["BinaryEquals", rarely(from(BINARIES.slice(0, 3), BINARIES.slice(4, 7)), from(BINARIES, TEXTS))],
  ...["ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike"].map(
    (name) => [name, rarely(from(ARNS, ARN_PATTERNS.slice(0, 9)), from(ARN_PATTERNS, TEXTS))] as const,
  ),
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
  "context.a",
  "context.b",
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

const text = from(TEXTS, NUMBERS, DATES, ADDRESSES, ARNS, TRUTHS, BINARIES);
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
      "context.a": mostly(from(ARNS)),
      "context.b": mostly(from(BINARIES, TRUTHS)),
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

/** Operators that compare values of one kind alone, with conditions and fields of that kind. */
export const OF_ONE_KIND: readonly (readonly [string, fc.Arbitrary<[Condition, Map<string, FieldValue>]>])[] =
  (
    [
      ["ArnEquals", ARNS],
      ["ArnLike", ARNS],
      ["ArnNotEquals", ARNS],
      ["ArnNotLike", ARNS],
      ["BinaryEquals", BINARIES],
      ["Bool", TRUTHS],
    ] as const
  ).map(([base, values]) => {
    const written = BASES.find(([name]) => name === base)?.[1] as fc.Arbitrary<string>;
    const value = rarely(from(values), from(TEXTS));
    const both = fc
      .record({
        quantifier: fc.constantFrom("", "", "ForAnyValue:", "ForAllValues:"),
        suffix: fc.constantFrom("", "", "IfExists"),
        written: fc.array(written, { minLength: 1, maxLength: 3 }),
        value: fc.oneof(
          { weight: 4, arbitrary: value },
          { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
        ),
        others: fc.record({
          "context.t": from(TEXTS, ["ops", "a:b", "1"]),
          "context.a": from(["1", ":", "a:b"]),
        }),
      })
      .map(
        ({
          quantifier,
          suffix,
          written: list,
          value: given,
          others,
        }): [Condition, Map<string, FieldValue>] => [
          { [`${quantifier}${base}${suffix}`]: { "context.own": list } },
          new Map<string, FieldValue>([["context.own", given], ...Object.entries(others)]),
        ],
      );
    return [base, both] as const;
  });
