/** Texts of people who come from AWS IAM or from object stores, and those to write instead. */

import type { Problem } from "../../errors.ts";
import { closestName } from "../../model/closest-name.ts";
import type { Vocabulary } from "../../model/policy-warnings.ts";
import { isObject } from "../files/policy-documents.ts";

/** Actions of Amazon S3, and those that allow the same here. */
const OF_S3: ReadonlyMap<string, readonly string[]> = new Map([
  ["s3:*", ["fs:*"]],
  ["s3:get*", ["fs:Read*"]],
  ["s3:list*", ["fs:List*"]],
  ["s3:put*", ["fs:WriteObject"]],
  ["s3:getobject", ["fs:ReadObject"]],
  ["s3:headobject", ["fs:ReadObject"]],
  ["s3:putobject", ["fs:WriteObject"]],
  ["s3:deleteobject", ["fs:DeleteObject"]],
  ["s3:listbucket", ["fs:ListObjects"]],
  ["s3:listallmybuckets", ["fs:ListRepositories"]],
  ["s3:getbucketlocation", ["fs:ReadRepository"]],
  ["s3:createbucket", ["fs:CreateRepository"]],
  ["s3:deletebucket", ["fs:DeleteRepository"]],
  ["s3:abortmultipartupload", ["fs:WriteObject"]],
  ["iam:*", ["auth:*"]],
  ["iam:createuser", ["auth:CreateUser"]],
  ["iam:listusers", ["auth:ListUsers"]],
  ["iam:attachuserpolicy", ["auth:AttachPolicy"]],
  ["iam:createaccesskey", ["auth:CreateCredentials"]],
]);

/** The action that is meant by a text that is none; undefined where none is near. */
export function meantAction(text: string, { actions }: Vocabulary): string | undefined {
  const trimmed = text.trim();
  const [ofS3] = OF_S3.get(trimmed.toLowerCase()) ?? [];
  if (ofS3 !== undefined) return ofS3;
  const names = [...actions.keys()];
  const exact = names.find((name) => name.toLowerCase() === trimmed.toLowerCase());
  if (exact !== undefined) return exact;
  const verb = trimmed.split(/[:./]/).at(-1)?.toLowerCase();
  const byVerb = names.filter((name) => name.split(":")[1]?.toLowerCase() === verb);
  return byVerb.length === 1 ? byVerb[0] : closestName(trimmed, names);
}

/** True for a document of AWS IAM: it names a version, or has members in capital letters. */
export function isAwsPolicy(value: unknown): boolean {
  if (!isObject(value)) return false;
  const version = Object.entries(value).find(([name]) => name.toLowerCase() === "version")?.[1];
  return (typeof version === "string" && /^20\d\d-\d\d-\d\d$/.test(version)) || "Statement" in value;
}

/** The problem of such a document: what it is, and how it is written here. */
export function awsPolicyProblem(value: unknown): Problem {
  const statements = isObject(value) ? (value["Statement"] ?? value["statement"]) : undefined;
  const count = Array.isArray(statements) ? statements.length : isObject(statements) ? 1 : 0;
  const message =
    `this is a policy of AWS IAM (${count} ${count === 1 ? "statement" : "statements"}): write {"statement": [{"effect": "allow" or "deny", ` +
    `"action": [a list, such as "fs:ReadObject" for s3:GetObject], "resource": an ARN of this service, "condition": {operator: {field: [values]}}}]} ` +
    "without Version and Principal; conditions.md and lint-rules.md say what differs";
  return { pointer: "", message };
}
