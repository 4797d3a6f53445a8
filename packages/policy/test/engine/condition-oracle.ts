/**
 * A second evaluator of conditions, written from IAM's documentation and spec/evaluation §7 line by line, as slowly as
 * it likes. It shares no code with the engine but the wildcard of the other oracle.
 */
import { type FieldValue, UNREADABLE } from "@svc-authorizer/policy/model/decision.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { ipOf, ipValueMatches, wildcardMatch } from "./oracle.ts";

type Verdict = "satisfied" | "unsatisfied" | "unreadable" | "error";
/** Thrown by a comparison of two texts if one of them cannot be read. */
class Unreadable extends Error {}

const BASE_OPERATORS = [
  "StringEquals",
  "StringNotEquals",
  "StringEqualsIgnoreCase",
  "StringNotEqualsIgnoreCase",
  "StringLike",
  "StringNotLike",
  "NumericEquals",
  "NumericNotEquals",
  "NumericLessThan",
  "NumericLessThanEquals",
  "NumericGreaterThan",
  "NumericGreaterThanEquals",
  "DateEquals",
  "DateNotEquals",
  "DateLessThan",
  "DateLessThanEquals",
  "DateGreaterThan",
  "DateGreaterThanEquals",
  "Bool",
  "ArnEquals",
  "ArnLike",
  "ArnNotEquals",
  "ArnNotLike",
  "BinaryEquals",
  "IpAddress",
  "NotIpAddress",
];
const PLAIN = ["StringLike", "StringNotLike", "IpAddress", "NotIpAddress"];

function numberOf(text: string): number {
  const json = text.replace(/^(-?)0+(?=\d)/, "$1");
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Unreadable();
  }
  if (typeof value !== "number" || json.trim() !== json || Math.abs(value) > 2 ** 53 - 1)
    throw new Unreadable();
  return value;
}

function dateOf(text: string): number {
  const days = "[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?";
  const time = "[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]+)?)?(Z|[+-][0-9]{2}:[0-9]{2})";
  const isDate =
    new RegExp(`^${days}$`).test(text) || new RegExp(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T${time}$`).test(text);
  if (isDate) {
    const moment = Date.parse(text);
    const [year, month = 1, day = 1] = text.split("T")[0]!.split("-").map(Number);
    const lastDay = new Date(Date.UTC(2000 + (year! % 400), month, 0)).getUTCDate();
    if (Number.isNaN(moment) || day > lastDay || text.includes("T24")) throw new Unreadable();
    return moment;
  }
  if (!/^-?[0-9]+([.][0-9]+)?$/.test(text)) throw new Unreadable();
  const moment = Math.trunc(Math.round(Number(text) * 1e6) / 1e3);
  if (Number.isNaN(new Date(moment).getTime())) throw new Unreadable();
  return moment;
}

function truthOf(text: string): boolean {
  const folded = text.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
  if (folded !== "true" && folded !== "false") throw new Unreadable();
  return folded === "true";
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The bits of a base64 text (RFC 4648, section 4, with padding). */
function bitsOf(text: string): string {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const digits = [...text.slice(0, text.length - padding)];
  if (text.length % 4 !== 0 || digits.some((digit) => !ALPHABET.includes(digit))) throw new Unreadable();
  const bits = digits.map((digit) => ALPHABET.indexOf(digit).toString(2).padStart(6, "0")).join("");
  return bits.slice(0, bits.length - (bits.length % 8));
}

/** A colon that a variable put in: it parts no ARN. */
const OWN_COLON = "\u0003";

/** The six parts of an ARN; the last one has all further colons. */
function partsOf(text: string): readonly string[] {
  const [arn, partition, service, region, account, ...rest] = text.split(":");
  if (arn !== "arn" || account === undefined || rest.length === 0) throw new Unreadable();
  return [arn, partition!, service!, region!, account, rest.join(":")];
}

function arnLike(written: string, value: string): boolean {
  const patterns = partsOf(written);
  return partsOf(value).every((part, index) => {
    const pattern = patterns[index]!;
    return like(index < 5 ? pattern : pattern.replaceAll(OWN_COLON, ":"), part);
  });
}

/** Puts variables in, escaping what the policy did not write, so that `\` makes the next character literal. */
function substituted(
  value: string,
  fields: ReadonlyMap<string, FieldValue>,
  user: string,
  isArn: boolean,
): string {
  const literal = (text: string): string =>
    text.replace(/[\\*?]/g, "\\$&").replaceAll(":", isArn ? OWN_COLON : ":");
  let result = "";
  for (let rest = value; rest !== ""; ) {
    if (!rest.startsWith("${")) {
      result += rest[0] === "\\" ? "\\\\" : rest[0];
      rest = rest.slice(1);
      continue;
    }
    if (!rest.includes("}")) throw new Unreadable();
    const name = rest.slice(2, rest.indexOf("}"));
    rest = rest.slice(rest.indexOf("}") + 1);
    const [variable, fallback] = name.split(/ *, */);
    if (["*", "?", "$"].includes(name)) result += literal(name);
    else if (variable === "user") result += literal(user);
    else if (/^(subject|resource|context)[.]./.test(variable!)) {
      const found = fields.get(variable!) ?? fallback?.slice(1, -1);
      if (typeof found !== "string") throw new Unreadable();
      result += literal(found);
    } else throw new Unreadable();
  }
  return result;
}

/** Stand-ins for literal wildcards: characters of the same length in UTF-8 that no test text has. */
const STAND_INS: Record<string, string> = { "*": "\u0001", "?": "\u0002", "\\": "\\" };
const standIn = (text: string): string => text.replace(/[*?]/g, (one) => STAND_INS[one]!);

function like(template: string, text: string): boolean {
  const pattern = template.replace(/\\(.)/g, (_, one: string) => STAND_INS[one]!);
  return wildcardMatch(pattern, standIn(text));
}

/** Whether one value of the request compares with one of the policy, negation aside. */
function compares(base: string, value: string, written: string): boolean {
  const order = base.replace(/^(Numeric|Date)/, "");
  const [left, right] = base.startsWith("Numeric")
    ? [numberOf(value), numberOf(written)]
    : base.startsWith("Date")
      ? [dateOf(value), dateOf(written)]
      : [0, 0];
  switch (order) {
    case "Equals":
    case "NotEquals":
      return left === right;
    case "LessThan":
      return left < right;
    case "LessThanEquals":
      return left <= right;
    case "GreaterThan":
      return left > right;
    case "GreaterThanEquals":
      return left >= right;
    case "ArnEquals":
    case "ArnLike":
    case "ArnNotEquals":
    case "ArnNotLike":
      return arnLike(written, value);
    case "BinaryEquals":
      return bitsOf(written) === bitsOf(value);
    case "Bool":
      return truthOf(value) === truthOf(written);
    case "StringLike":
    case "StringNotLike":
      return like(written, value);
    case "IpAddress":
    case "NotIpAddress": {
      const address = ipOf(value);
      const found = address === null ? "error" : ipValueMatches(written, address);
      if (found === "error") throw new Unreadable();
      return found;
    }
    default: {
      const plain = written.replace(/\\(.)/g, "$1");
      return base.endsWith("IgnoreCase") ? value.toLowerCase() === plain.toLowerCase() : value === plain;
    }
  }
}

function extended(
  name: string,
  value: FieldValue | undefined,
  written: readonly string[],
  fields: ReadonlyMap<string, FieldValue>,
  user: string,
): boolean {
  const missing = value === undefined;
  if (name === "Null") {
    const absent = missing || (Array.isArray(value) && value.length === 0);
    return written.some((one) => (one === "true") === absent);
  }
  const quantifier = name.includes(":") ? name.split(":")[0] : undefined;
  const ifExists = name.endsWith("IfExists");
  const base = name.replace(/^.*:/, "").replace(/IfExists$/, "");
  if (missing && ifExists) return quantifier !== "ForAnyValue";
  const isArn = base.startsWith("Arn");
  const values =
    isArn || base.startsWith("String")
      ? written.map((one) => substituted(one, fields, user, isArn))
      : written;
  // Each value of the policy must be readable, whether or not it is needed.
  if (base.startsWith("Numeric")) values.forEach(numberOf);
  if (base.startsWith("Date")) values.forEach(dateOf);
  if (base === "Bool") values.forEach(truthOf);
  if (base === "BinaryEquals") values.forEach(bitsOf);
  if (isArn) values.forEach(partsOf);
  if (base.includes("Ip") && values.some((one) => ipValueMatches(one, 0n) === "error"))
    throw new Unreadable();
  const negated = base.includes("Not");
  if (missing) return quantifier === "ForAllValues" || (quantifier === undefined && negated);
  if (value === UNREADABLE || (typeof value !== "string" && quantifier === undefined)) throw new Unreadable();
  const holds = (typeof value === "string" ? [value] : value).map((one) => {
    if (base.startsWith("Numeric")) numberOf(one);
    if (base.startsWith("Date")) dateOf(one);
    if (base === "Bool") truthOf(one);
    if (base === "BinaryEquals") bitsOf(one);
    if (isArn) partsOf(one);
    if (base.includes("Ip") && ipOf(one) === null) throw new Unreadable();
    return values.some((candidate) => compares(base, one, candidate)) !== negated;
  });
  return quantifier === "ForAnyValue" ? holds.some(Boolean) : holds.every(Boolean);
}

function plain(name: string, value: FieldValue | undefined, written: readonly string[]): Verdict {
  if (value === undefined) return "unsatisfied";
  if (typeof value !== "string") return "unreadable";
  const negated = name.includes("Not");
  const verdict = (found: boolean): Verdict => (found !== negated ? "satisfied" : "unsatisfied");
  if (name.startsWith("String")) return verdict(written.some((pattern) => wildcardMatch(pattern, value)));
  if (value === "") return "unsatisfied";
  const address = ipOf(value);
  if (address === null) return "error";
  for (const one of written) {
    const found = ipValueMatches(one, address);
    if (found === "error") return "error";
    if (found) return verdict(true);
  }
  return verdict(false);
}

function isKnown(name: string): boolean {
  if (name === "Null") return true;
  return BASE_OPERATORS.includes(name.replace(/^ForA(ny|ll)Values?:/, "").replace(/IfExists$/, ""));
}

/** Returns the result of a condition for a request. */
export function conditionOracle(
  condition: Condition,
  fields: ReadonlyMap<string, FieldValue>,
  user: string,
): Verdict {
  const verdicts: Verdict[] = ["satisfied"];
  for (const [name, parts] of Object.entries(condition)) {
    if (!isKnown(name)) return "error";
    for (const [field, written] of Object.entries(parts)) {
      const value = fields.get(field);
      if (PLAIN.includes(name)) {
        verdicts.push(plain(name, value, written));
        continue;
      }
      try {
        verdicts.push(extended(name, value, written, fields, user) ? "satisfied" : "unsatisfied");
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        verdicts.push("unreadable");
      }
    }
  }
  const worst = ["error", "unreadable", "unsatisfied", "satisfied"] as const;
  return worst.find((one) => verdicts.includes(one))!;
}
