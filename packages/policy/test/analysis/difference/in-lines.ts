/** Whether a request is in the lines of a difference, read as they are written, without the code that makes them. */
import type { DifferenceLine } from "@svc-authorizer/policy/analysis/difference/line.ts";
import type { Condition } from "@svc-authorizer/policy/model/policy.ts";
import { oracle, wildcardMatch } from "../../engine/oracle.ts";

/** One request. */
export interface Asked {
  readonly user: string;
  readonly action: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, string>>;
}

function holds(condition: Condition, effect: "allow" | "deny", { context }: Asked): boolean {
  const policies = [{ name: "p", statement: [{ effect, action: ["*"], resource: "*", condition }] }];
  const required = { action: "a", resource: "*" };
  return (
    oracle(policies, { user: "u", required, context: new Map(Object.entries(context)) } as never).effect ===
    effect
  );
}

function isIn({ actions, resource }: Pick<DifferenceLine, "actions" | "resource">, asked: Asked): boolean {
  if (!actions.some((action) => wildcardMatch(action, asked.action))) return false;
  const policies = [{ name: "p", statement: [{ effect: "allow", action: ["*"], resource }] }];
  const required = { action: "a", resource: asked.resource };
  return oracle(policies, { user: asked.user, required, context: new Map() } as never).effect === "allow";
}

/** True if some line has the request. */
export function isInLines(lines: readonly DifferenceLine[], asked: Asked): boolean {
  return lines.some(
    (line) =>
      line.kind === "area" &&
      (line.user === undefined || line.user === asked.user) &&
      line.notFor?.includes(asked.user) !== true &&
      isIn(line, asked) &&
      line.conditions.every((condition) => holds(condition, "allow", asked)) &&
      !line.exceptions.some(
        (one) => isIn(one, asked) && (one.condition === undefined || holds(one.condition, "deny", asked)),
      ),
  );
}

/** Lines and exceptions: the length of a list. */
export function lengthOf(lines: readonly DifferenceLine[]): number {
  return lines.reduce((sum, { exceptions }) => sum + 1 + exceptions.length, 0);
}
