/** A question in other forms: for a test file of policies, for a shell, for svcctl. */

import type { CheckAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { type Question, requestOf } from "./question.ts";

/** A case for a file that `svcctl policy test` runs. JSON strings are YAML, too. */
export function testCase(question: Question, { effect, explanation }: CheckAnswer): string {
  const { user, action, resource } = question;
  const request = requestOf(question);
  const [decided] = explanation?.determining ?? [];
  const lines = [
    `- name: ${JSON.stringify(`${user} ${effect === "allow" ? "may" : "may not"} ${action}`)}`,
    `  user: ${JSON.stringify(user)}`,
    `  action: ${JSON.stringify(action)}`,
    `  resource: ${JSON.stringify(resource)}`,
    ...(request.context === undefined ? [] : [`  context: ${JSON.stringify(request.context)}`]),
    `  expect: ${effect}`,
    ...(decided === undefined
      ? []
      : [`  decided_by: {policy: ${JSON.stringify(decided.policy)}, statement: ${decided.statement}}`]),
  ];
  return `${lines.join("\n")}\n`;
}

/** The call of the decision API in a POSIX shell; the token stands in a variable. */
export function asCurl(question: Question): string {
  const body = JSON.stringify(requestOf(question));
  return [
    'curl -sS "$SVC_AUTHORIZER_URL/access/v1/check"',
    '  -H "Authorization: Bearer $SVC_AUTHORIZER_TOKEN"',
    '  -H "Content-Type: application/json"',
    `  -d ${quoted(body)}`,
  ].join(" \\\n");
}

/** The command of svcctl; undefined for a context that its options cannot say: the command would ask something else. */
export function asSvcctl(question: Question): string | undefined {
  const { user, action, resource } = question;
  const { context } = requestOf(question);
  const fields: string[] = [];
  for (const [field, value] of Object.entries(context ?? {})) {
    // Null counts as absent.
    if (value === null) continue;
    const texts = textsOf(value);
    if (texts === undefined || field === "" || field.includes("=")) return undefined;
    for (const text of texts) fields.push("--context", quoted(`${field}=${text}`));
  }
  const parts = ["--user", quoted(user), "--action", quoted(action), "--resource", quoted(resource)];
  return ["svcctl auth can", ...parts, ...fields, "--explain"].join(" ");
}

/** A value as options say it: a list by more than one; undefined for what is neither a list of several nor single. */
function textsOf(value: unknown): readonly string[] | undefined {
  const isSingle = (one: unknown): boolean => typeof one !== "object";
  if (isSingle(value)) return [String(value)];
  return Array.isArray(value) && value.length > 1 && value.every(isSingle) ? value.map(String) : undefined;
}

/** A text as one word of a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
