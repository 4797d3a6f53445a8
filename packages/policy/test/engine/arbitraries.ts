/** Random policies and requests that meet often: small alphabets, texts made from shared pieces. */

import type { RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";
import fc from "fast-check";

const PIECES = [
  "a",
  "b",
  "r",
  "/",
  "/",
  "repository",
  "branch",
  "main",
  "alice",
  "日",
  "é",
  "😀",
  "\u0301",
  "\n",
  ".",
  "+",
  "(",
  ")",
  "[",
  "]",
  "^",
  "$",
  "\\",
  "|",
  "__proto__",
  "constructor",
  ":",
  "%2F",
  " ",
  "\ufffd",
  "\uff21",
  "{",
  "}",
  "${user}",
  "aaaa",
  "main/",
  "object/x",
];
const piece = fc.constantFrom(...PIECES);
const wild = fc.constantFrom("*", "*", "?", "**", "*?", "??");
const text = fc.array(piece, { maxLength: 5 }).map((parts) => parts.join(""));
const pattern = fc
  .array(fc.oneof({ weight: 3, arbitrary: piece }, { weight: 2, arbitrary: wild }), { maxLength: 6 })
  .map((parts) => parts.join(""));

/** Users, odd ones too: names with wildcards, colons, whole ARNs. */
export const user = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("alice", "bob", "a", "日", "😀") },
  { weight: 2, arbitrary: text },
  {
    weight: 1,
    arbitrary: fc.constantFrom("*", "a*", "?", "a:b", "fs", "arn:svc:fs:::repository/a", "", "$&"),
  },
);

const action = fc.constantFrom(
  "fs:ReadObject",
  "fs:WriteObject",
  "fs:ListObjects",
  "auth:ReadUser",
  "é:日",
  "fs:__proto__",
);
const actionPattern = fc.oneof(
  { weight: 4, arbitrary: action },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "fs:*",
      "*",
      "fs:Read*",
      "*:ReadUser",
      "fs:?eadObject",
      "fs:*Objec?",
      "?:?",
      "",
    ),
  },
  { weight: 1, arbitrary: pattern },
);

const service = fc.oneof(
  { weight: 9, arbitrary: fc.constant("fs") },
  { weight: 1, arbitrary: fc.constantFrom("auth", "*", "", "${user}") },
);
const account = fc.oneof(
  { weight: 9, arbitrary: fc.constant("") },
  { weight: 1, arbitrary: fc.constantFrom("1", "*", "${user}") },
);
const region = fc.constantFrom("", "", "us", "*");
const arnOf = (last: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom("svc", "svc", "svc", "svc", "svc", "svc", "lakefs"),
      service,
      region,
      account,
      last,
    )
    .map(([partition, s, r, a, l]) => `arn:${partition}:${s}:${r}:${a}:${l}`);

/** Required resources. */
const resource = fc.oneof(
  { weight: 8, arbitrary: arnOf(text) },
  { weight: 1, arbitrary: fc.constantFrom("*", "", "arn:svc:fs", "**") },
);
const policyResource = fc.oneof(
  { weight: 8, arbitrary: arnOf(pattern) },
  { weight: 3, arbitrary: arnOf(text.map((t) => `${t}*`)) },
  { weight: 1, arbitrary: fc.constantFrom("*", "*", "${user}", "**", "arn:svc:fs:::${user}", "arn:${user}") },
);
const resourceText = fc.oneof(
  { weight: 120, arbitrary: policyResource },
  {
    weight: 30,
    arbitrary: fc
      .array(fc.oneof(policyResource, fc.constant(null)), { maxLength: 3 })
      .map((a) => JSON.stringify(a)),
  },
  { weight: 1, arbitrary: fc.constantFrom("", "[oops]", "[1]", '["a",]', "[", "[[]]") },
);

const cidr = fc.constantFrom(
  "10.0.0.0/8",
  "10.1.2.3",
  " 10.1.2.3 ",
  "::ffff:10.0.0.0/104",
  "::/0",
  "2001:db8::/32",
  "0.0.0.0/0",
  "10.1.2.0/24",
  "fe80::1",
  "10.1.2.3/32",
);
const badCidr = fc.constantFrom("", "x", "10.1/8", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.01", "fe80::1%eth0");
const ipValues = fc.array(fc.oneof({ weight: 30, arbitrary: cidr }, { weight: 1, arbitrary: badCidr }), {
  maxLength: 3,
});
const fieldName = fc.constantFrom("SourceIp", "SourceIp", "SourceIp", "tag", "__proto__", "");
const fields = (values: fc.Arbitrary<string[]>): fc.Arbitrary<Record<string, string[]>> =>
  fc.array(fc.tuple(fieldName, values), { maxLength: 2 }).map((entries) => Object.fromEntries(entries));
const operator = fc.oneof(
  fc.tuple(fc.constantFrom("IpAddress", "NotIpAddress"), fields(ipValues)),
  fc.tuple(fc.constantFrom("StringLike", "StringNotLike"), fields(fc.array(pattern, { maxLength: 2 }))),
);
const condition = fc.oneof(
  { weight: 50, arbitrary: fc.constant(undefined) },
  {
    weight: 40,
    arbitrary: fc.array(operator, { minLength: 1, maxLength: 2 }).map((o) => Object.fromEntries(o)),
  },
  { weight: 1, arbitrary: fc.constantFrom({}, { StringEquals: {} }, { Nope: { a: ["b"] } }) },
);

const statement: fc.Arbitrary<Statement> = fc
  .record({
    effect: fc.oneof(
      { weight: 6, arbitrary: fc.constant("allow") },
      { weight: 3, arbitrary: fc.constant("deny") },
      { weight: 1, arbitrary: fc.constantFrom("Deny", "", "Allow") },
    ),
    action: fc.array(actionPattern, { maxLength: 3 }),
    resource: resourceText,
    condition,
  })
  .map(({ condition: c, ...rest }) => (c === undefined ? rest : { ...rest, condition: c }));

/** Policies of a user. `most` bounds the statements of one policy. */
export const policiesOf = (most: number): fc.Arbitrary<NamedStatements[]> =>
  fc.array(
    fc.record({
      name: fc.constantFrom("p", "q", "__proto__"),
      statement: fc.array(statement, { maxLength: most }),
    }),
    { maxLength: 3 },
  );

/** Condition fields of a request. */
export const context = fc
  .array(
    fc.oneof(
      fc.tuple(
        fc.constant("SourceIp"),
        fc.oneof(
          {
            weight: 12,
            arbitrary: fc.constantFrom("10.1.2.3", "::ffff:10.1.2.3", "2001:db8::5", "192.168.0.1", ""),
          },
          { weight: 1, arbitrary: fc.constantFrom("10.1.2.3:80", "fe80::1%eth0", " 10.1.2.3") },
        ),
      ),
      fc.tuple(fc.constantFrom("tag", "__proto__", ""), text),
    ),
    { maxLength: 2 },
  )
  .map((entries) => new Map(entries));

/** Trees of required permissions. */
export const required = fc.letrec<{ tree: RequiredPermissions }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 8, arbitrary: fc.record({ action, resource }) },
    { weight: 1, arbitrary: action.map((a) => ({ any_resource: { action: a } })) },
    { weight: 1, arbitrary: fc.array(tie("tree"), { maxLength: 3 }).map((and) => ({ and })) },
    { weight: 1, arbitrary: fc.array(tie("tree"), { maxLength: 3 }).map((or) => ({ or })) },
  ),
})).tree;

/** Pattern and text pairs for the wildcard alone. */
export const wildcardCase = fc.oneof(
  fc.tuple(pattern, text),
  fc.tuple(
    fc.string({ unit: fc.constantFrom("a", "b", "*", "?", "日", "é", "😀"), maxLength: 12 }),
    fc.string({ unit: fc.constantFrom("a", "b", "日", "é", "😀"), maxLength: 10 }),
  ),
);

const tail = fc
  .tuple(
    fc.constantFrom("fs:::repository/", "fs:::namespace/", "fs::1:repository/"),
    fc.constantFrom("*", "?", "${user}", "*/"),
    pattern,
  )
  .map(([begin, first, rest]) => `arn:svc:${begin}${first}${rest}`);

/** Many patterns that begin alike, so that they are found by the characters they need. */
export const alikePolicies: fc.Arbitrary<NamedStatements[]> = fc
  .array(
    fc.record({ effect: fc.constantFrom("allow", "deny"), action: fc.constant(["fs:*"]), resource: tail }),
    { minLength: 30, maxLength: 60 },
  )
  .map((statements) => [{ name: "alike", statement: statements }]);

/** Resources below the common beginning of {@link alikePolicies}. */
export const alikeResource = fc
  .tuple(
    fc.constantFrom("fs:::repository/", "fs:::namespace/", "fs::1:repository/"),
    fc.constantFrom("", "alice", "xx", "aaaaaaaa"),
    text,
  )
  .map(([begin, first, rest]) => `arn:svc:${begin}${first}${rest}`);
