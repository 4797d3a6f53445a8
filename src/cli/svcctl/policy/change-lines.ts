/** Prints one difference between policies: the request that shows it and the statements that cause it. */

import type { Change } from "../../../analysis/compare/policy-diff.ts";
import type { StatementPlace } from "../../../analysis/compare/rules.ts";
import type { Widening } from "../../../analysis/compare/widening.ts";
import { safeText } from "../../safe-text.ts";
import type { Style } from "../style.ts";

function placeOf({ policy, statement, sid }: StatementPlace): string {
  return `policy ${safeText(policy)}, statement ${statement}${sid === undefined ? "" : ` ${safeText(sid)}`}`;
}

function requestOf({ counterexample, point, user, anyUser }: Widening): string {
  const who = anyUser ? `any user (here ${safeText(user)})` : safeText(user);
  const asked = counterexample?.required ?? point;
  if (asked === undefined) return `${who}: some request that could not be found`;
  if ("any_resource" in asked)
    return `${who}: ${safeText(asked.any_resource.action)} on any resource, as lists ask it`;
  if (!("action" in asked)) return who;
  const fields = Object.entries(counterexample?.context ?? {});
  const context = fields.length === 0 ? "" : ` with ${safeText(JSON.stringify(Object.fromEntries(fields)))}`;
  return `${who}: ${safeText(asked.action)} on ${safeText(asked.resource)}${context}`;
}

/** Describes the cause, with the statement that exists on one side only. */
function causeOf({ cause, deniedBy }: Widening, direction: "wider" | "narrower"): string | undefined {
  if (deniedBy === undefined) return undefined;
  const denies =
    cause === "failure" ? "cannot be evaluated in this request, so that everything is denied" : "denies it";
  const tense = direction === "wider" ? `${denies} before and not after` : `${denies} after and not before`;
  return `${placeOf(deniedBy)} ${tense}`;
}

/** Lines of one difference, the first of them the request. */
export function changeLines(change: Change, direction: "wider" | "narrower", style: Style): string[] {
  const { certainty, counterexample, conditions } = change;
  const wider = direction === "wider";
  const refused = counterexample?.before ?? "refused";
  const effects = wider ? `${refused} → allow` : `allow → ${refused}`;
  const mark = wider ? style.red("+") : style.green("-");
  const sure =
    certainty === "certain"
      ? effects
      : certainty === "possible"
        ? `perhaps ${effects}`
        : `undecided: perhaps ${effects}`;
  const cause = causeOf(change, direction);
  return [
    `${mark} ${requestOf(change)}`,
    `    ${wider ? style.red(sure) : style.green(sure)}`,
    `    allowed by ${[change.allowedBy, ...(change.alsoAllowedBy ?? [])].map(placeOf).join(" and ")}, ${wider ? "after" : "before"}`,
    ...(cause === undefined ? [] : [`    ${cause}`]),
    ...(certainty === "certain"
      ? []
      : conditions.map((one) => `    if ${safeText(JSON.stringify(one))} holds`)),
  ];
}
