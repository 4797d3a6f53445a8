/**
 * A second evaluator, written from evaluation.md line by line and as slowly as it likes: what the engine is compared
 * with. It shares no code with the engine.
 */
import type { Effect, Outcome, RequiredPermissions } from "@svc-authorizer/policy/model/decision.ts";
import type { NamedStatements, Statement } from "@svc-authorizer/policy/model/policy.ts";

/** spec/evaluation §6 on UTF-8 bytes. */
export function wildcardMatch(pattern: string, text: string): boolean {
  const p = Buffer.from(pattern);
  const t = Buffer.from(text);
  const memo = new Map<number, boolean>();
  const rune = (at: number): number => {
    const lead = t[at]!;
    const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc2 ? 2 : 1;
    return at + length <= t.length ? length : 1;
  };
  const go = (i: number, j: number): boolean => {
    const key = i * 100_000 + j;
    const known = memo.get(key);
    if (known !== undefined) return known;
    let result: boolean;
    if (i === p.length) result = j === t.length;
    else if (p[i] === 0x2a) result = go(i + 1, j) || (j < t.length && go(i, j + 1));
    else if (j === t.length) result = false;
    else if (p[i] === 0x3f) result = go(i + 1, j + rune(j));
    else result = p[i] === t[j] && go(i + 1, j + 1);
    memo.set(key, result);
    return result;
  };
  return go(0, 0);
}

function arnFields(text: string): string[] | null {
  const parts = text.split(":");
  if (parts.length < 6) return null;
  const fields = [...parts.slice(0, 5), parts.slice(5).join(":")];
  const valid = fields[0] === "arn" && fields[1] === "svc" && fields[2] !== "" && fields[5] !== "";
  return valid ? fields : null;
}

function arnMatch(policy: string, required: string): boolean {
  if (policy === "*") return true;
  const a = arnFields(policy);
  const b = arnFields(required);
  if (!a || !b) return false;
  return a[2] === b[2] && a[4] === b[4] && wildcardMatch(a[5]!, b[5]!);
}

function resourcesOf(text: string): string[] | "error" {
  if (text === "") return "error";
  if (text[0] !== "[" || text[text.length - 1] !== "]") return [text];
  try {
    const list = JSON.parse(text);
    if (!list.every((e: unknown) => e === null || typeof e === "string")) return "error";
    return list.map((e: string | null) => e ?? "");
  } catch {
    return "error";
  }
}

function ip4(text: string): bigint | null {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every((q) => /^(0|[1-9]\d{0,2})$/.test(q) && Number(q) < 256)) return null;
  return parts.reduce((sum, q) => sum * 256n + BigInt(q), 0n);
}

export function ipOf(text: string): bigint | null {
  const four = ip4(text);
  if (four !== null) return 0xffff_0000_0000n + four;
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const groups = (half: string): bigint[] | null => {
    if (half === "") return [];
    const found: bigint[] = [];
    const parts = half.split(":");
    for (const [index, part] of parts.entries()) {
      const tail = index === parts.length - 1 ? ip4(part) : null;
      if (tail !== null) found.push(tail >> 16n, tail & 0xffffn);
      else if (/^[0-9a-fA-F]{1,4}$/.test(part)) found.push(BigInt(`0x${part}`));
      else return null;
    }
    return found;
  };
  const left = groups(halves[0]!);
  const right = halves.length === 2 ? groups(halves[1]!) : [];
  if (!left || !right) return null;
  const missing = 8 - left.length - right.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  return [...left, ...Array<bigint>(missing).fill(0n), ...right].reduce((sum, g) => sum * 65536n + g, 0n);
}

const isV4 = (address: bigint): boolean => address >> 32n === 0xffffn;

export function ipValueMatches(value: string, address: bigint): boolean | "error" {
  const text = value.trim();
  const [base, length, ...more] = text.split("/");
  if (length !== undefined) {
    const start = ipOf(base!);
    if (start === null || more.length > 0 || !/^\d+$/.test(length)) return "error";
    const bits = Number(length) + (ip4(base!) === null ? 0 : 96);
    if (bits > 128) return "error";
    const network = (start >> BigInt(128 - bits)) << BigInt(128 - bits);
    const four = isV4(network) && bits >= 96;
    return four === isV4(address) && network >> BigInt(128 - bits) === address >> BigInt(128 - bits);
  }
  const single = ipOf(text);
  return single === null ? "error" : single === address;
}

type Verdict = "yes" | "no" | "error";

function operatorTest(operator: string, value: string | undefined, values: readonly string[]): Verdict {
  const negated = operator === "NotIpAddress" || operator === "StringNotLike";
  if (value === undefined) return "no";
  if (operator === "StringLike" || operator === "StringNotLike") {
    return values.some((pattern) => wildcardMatch(pattern, value)) !== negated ? "yes" : "no";
  }
  if (value === "") return "no";
  const address = ipOf(value);
  if (address === null) return "error";
  for (const candidate of values) {
    const hit = ipValueMatches(candidate, address);
    if (hit === "error") return "error";
    if (hit) return negated ? "no" : "yes";
  }
  return negated ? "yes" : "no";
}

function conditionVerdict(statement: Statement, context: ReadonlyMap<string, string>): Verdict {
  const known = ["IpAddress", "NotIpAddress", "StringLike", "StringNotLike"];
  const verdicts: Verdict[] = [];
  for (const [operator, fields] of Object.entries(statement.condition ?? {})) {
    if (!known.includes(operator)) verdicts.push("error");
    for (const [field, values] of Object.entries(fields)) {
      if (known.includes(operator)) verdicts.push(operatorTest(operator, context.get(field), values));
    }
  }
  return verdicts.includes("error") ? "error" : verdicts.includes("no") ? "no" : "yes";
}

/**
 * spec/evaluation §2, spec/evaluation §8, spec/evaluation §9, step by step.
 * @param decidedBy filled with the first statement that denies, fails or allows at each leaf and gate
 */
export function oracle(
  policies: readonly NamedStatements[],
  request: { user: string; required: RequiredPermissions; context: ReadonlyMap<string, string> },
  decidedBy: Statement[] = [],
): Outcome {
  const denied: string[] = [];
  const missing: string[] = [];
  const leaf = (action: string, resource: string): Effect => {
    let allow: Statement | undefined;
    for (const policy of policies) {
      for (const statement of policy.statement) {
        const verdict = conditionVerdict(statement, request.context);
        if (verdict === "error") {
          decidedBy.push(statement);
          return "deny";
        }
        if (verdict === "no") continue;
        const resources = resourcesOf(statement.resource);
        if (resources === "error") {
          decidedBy.push(statement);
          return "deny";
        }
        for (const candidate of resources) {
          if (!arnMatch(candidate.split("${user}").join(request.user), resource)) continue;
          for (const pattern of statement.action) {
            if (!wildcardMatch(pattern, action)) continue;
            if (statement.effect === "deny") {
              denied.push(pattern);
              decidedBy.push(statement);
              return "deny";
            }
            allow ??= statement;
          }
        }
      }
    }
    if (allow === undefined) missing.push(action);
    else decidedBy.push(allow);
    return allow === undefined ? "neutral" : "allow";
  };
  const node = (required: RequiredPermissions): Effect => {
    if ("action" in required) return leaf(required.action, required.resource);
    if ("and" in required) {
      for (const child of required.and) {
        const effect = node(child);
        if (effect !== "allow") return effect;
      }
      return "allow";
    }
    if ("or" in required) {
      let result: Effect = "neutral";
      for (const child of required.or) {
        const effect = node(child);
        if (effect === "deny") return "deny";
        if (effect === "allow") result = "allow";
      }
      return result;
    }
    const action = required.any_resource.action;
    const gate = policies
      .flatMap((policy) => policy.statement)
      .find((s) => s.effect === "allow" && s.action.some((pattern) => wildcardMatch(pattern, action)));
    if (gate === undefined) missing.push(action);
    else decidedBy.push(gate);
    return gate === undefined ? "neutral" : "allow";
  };
  const effect = node(request.required);
  if (effect === "allow") return { effect };
  const base = "insufficient permissions: ";
  if (denied.length > 0) return { effect, message: `${base}denied permission to ${denied.join(",")}` };
  if (missing.length > 0) return { effect, message: `${base}not allowed to ${missing.join(",")}` };
  return { effect, message: `${base}not allowed` };
}
