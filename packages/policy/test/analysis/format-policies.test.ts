import { formatPolicies } from "@svc-authorizer/policy/analysis/files/format-policies.ts";
import { readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import { parseDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { policiesOf } from "../engine/arbitraries.ts";

const MESSY = `# Who may read.
policies:
  # Everybody.
  - statement:
      # The first one.
      - resource: "*" # all of it
        action: [fs:ReadObject, fs:ListObjects, fs:ReadObject]
        effect: allow
    name: Readers
format: 1
`;
const TIDY = `# Who may read.
policies:
  # Everybody.
  - name: Readers
    statement:
      # The first one.
      - effect: allow
        action: [fs:ReadObject, fs:ListObjects]
        resource: "*" # all of it
format: 1
`;

/** Policies as a document has them, without actions that are written twice. */
function policiesIn(text: string) {
  const read = parseDocument("x", text);
  if ("problems" in read) throw new Error(JSON.stringify(read.problems));
  return readPolicies(read.source, "x").policies.map(({ name, statement }) => ({
    name,
    statement: statement.map((one) => ({ ...one, action: [...new Set(one.action)] })),
  }));
}

describe("formatting", () => {
  it("orders the fields of YAML and keeps its comments", () => {
    expect(formatPolicies(MESSY, false)).toBe(TIDY);
  });

  it("orders the fields of JSON and indents by two", () => {
    const text = '{"statement":[{"resource":"*","effect":"allow","action":["a:B","a:B"]}],"name":"P"}';
    expect(formatPolicies(text, true)).toBe(`{
  "name": "P",
  "statement": [
    {
      "effect": "allow",
      "action": [
        "a:B"
      ],
      "resource": "*"
    }
  ]
}
`);
  });

  it.each([false, true])("says the same as before, and the same when done twice (JSON: %s)", (isJson) => {
    fc.assert(
      fc.property(policiesOf(3), (policies) => {
        const text = isJson ? JSON.stringify(policies) : stringify(policies);
        const formatted = formatPolicies(text, isJson);
        expect(policiesIn(formatted)).toEqual(policiesIn(text));
        expect(formatPolicies(formatted, isJson)).toBe(formatted);
      }),
      { numRuns: 200 },
    );
  });

  it("refuses a text whose aliases would lose their anchors", () => {
    const text = "name: P\nstatement: [{resource: &r '*', effect: allow, action: [*r]}]\n";
    expect(() => formatPolicies(text, false)).toThrow(/anchors/);
  });

  it("keeps anchors that stay in front of their aliases", () => {
    const text = `- name: P
  statement:
    - effect: allow
      action: &read [fs:ReadObject]
      resource: "*"
    - effect: deny
      action: *read
      resource: arn:svc:fs:::repository/x/*
`;
    expect(formatPolicies(text, false)).toBe(text);
  });
});
