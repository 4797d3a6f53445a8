/** Prints the lines of a difference between policies. */

import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { StatementPlace } from "@svc-authorizer/policy/analysis/compare/rules.ts";
import type {
  AccessDifference,
  DifferenceLine,
  LineException,
} from "@svc-authorizer/policy/analysis/difference/line.ts";
import { type SummedLines, summaryText } from "@svc-authorizer/policy/analysis/difference/summary.ts";
import type { ScopeDifference } from "@svc-authorizer/policy/analysis/difference/world-difference.ts";
import { statementWords } from "@svc-authorizer/policy/model/statement-words.ts";
import type { Style } from "../style.ts";
import { countOf } from "./placed-text.ts";

/** The direction of a line. */
type LineDirection = "gains" | "losses";

/** Most exceptions, and most statements, of a printed line. */
const MOST_SHOWN = 10;

function placeOf(place: StatementPlace): string {
  return `policy ${safeText(statementWords(place))}`;
}

function placesText(places: readonly StatementPlace[]): string {
  const shown = places.slice(0, MOST_SHOWN).map(placeOf).join(" and ");
  return places.length > MOST_SHOWN ? `${shown} and ${places.length - MOST_SHOWN} more` : shown;
}

function areaText({ kind, actions, resource }: DifferenceLine): string {
  const named = safeText(actions.join(", "));
  if (kind === "list") return `${named} on any resource, as lists ask it`;
  if (kind === "failure") return "everything that the policies allow";
  return `${named} on ${safeText(resource)}`;
}

function exceptionText({ actions, resource, condition }: LineException): string {
  const when = condition === undefined ? "" : ` where ${safeText(JSON.stringify(condition))} holds`;
  return `    except ${safeText(actions.join(", "))} on ${safeText(resource)}${when}`;
}

function conditionLines({ conditions, comparison }: DifferenceLine): readonly string[] {
  const own = conditions.map((one) => `    where ${safeText(JSON.stringify(one))} holds`);
  if (comparison.kind !== "incomparable") return own;
  return [...own, `    cannot be compared: the other side has ${safeText(JSON.stringify(comparison.other))}`];
}

function exampleLine(
  { example, refused, certainty }: DifferenceLine,
  direction: LineDirection,
): readonly string[] {
  if (example === undefined) return [];
  const fields =
    Object.keys(example.context).length === 0 ? "" : ` with ${safeText(JSON.stringify(example.context))}`;
  const other = refused ?? "refused";
  const effects = direction === "gains" ? `${other} → allow` : `allow → ${other}`;
  const sure = certainty === "certain" ? "" : "perhaps ";
  const what = example.possible ? "example" : "no known request; in form";
  return [
    `    ${what}: ${safeText(example.user)}: ${safeText(example.action)} on ${safeText(example.resource)}${fields} (${sure}${effects})`,
  ];
}

function causeLines({ allowedBy, deniedBy }: DifferenceLine, direction: LineDirection): readonly string[] {
  const [own, other] = direction === "gains" ? ["after", "before"] : ["before", "after"];
  return [
    ...(allowedBy.length === 0 ? [] : [`    allowed by ${placesText(allowedBy)}, ${own}`]),
    ...(deniedBy.length === 0 ? [] : [`    denied by ${placesText(deniedBy)}, ${other}`]),
  ];
}

function usersText({ user, notFor }: DifferenceLine): string {
  if (user !== undefined) return ` (the user ${safeText(user)} alone)`;
  return notFor === undefined ? "" : ` (not the users ${safeText(notFor.join(", "))}, see below)`;
}

/** One line of a difference, over several lines of text; the first has its sign. */
export function differenceLines(
  line: DifferenceLine,
  direction: LineDirection,
  style: Style,
): readonly string[] {
  const sign = direction === "gains" ? style.red("+") : style.green("-");
  if (line.kind === "undecided")
    return [`${sign} undecided: ${safeText(line.why ?? "the comparison gave up")}`];
  const exceptions = line.exceptions.slice(0, MOST_SHOWN).map(exceptionText);
  const more = line.exceptions.length - exceptions.length;
  return [
    `${sign} ${areaText(line)}${usersText(line)}`,
    ...(line.why === undefined ? [] : [`    ${safeText(line.why)}`]),
    ...(line.certainty === "undecided" ? ["    undecided: perhaps nothing of it"] : []),
    ...conditionLines(line),
    ...exceptions,
    ...(more > 0 ? [`    except ${countOf(more, "more area")}: policy diff --json has them`] : []),
    ...exampleLine(line, direction),
    ...causeLines(line, direction),
  ];
}

/**
 * Exit code of commands that print differences where they did not print everything, or could not find it out, whatever
 * they printed.
 */
export const NOT_ALL_SHOWN = 4;

/** True if a difference lacks lines, or has one that says that nothing is known. */
export function isPartlyKnown({ gains, losses, leftOut }: AccessDifference): boolean {
  return leftOut.length > 0 || [...gains, ...losses].some(({ kind }) => kind === "undecided");
}

/** True if something of a difference is not printed, or not known. */
export function isCut(differences: readonly AccessDifference[]): boolean {
  return differences.some(
    ({ gains, losses, leftOut }) =>
      isPartlyKnown({ gains, losses, leftOut }) ||
      [...gains, ...losses].some(({ exceptions, allowedBy, deniedBy }) =>
        [exceptions, allowedBy, deniedBy].some((list) => list.length > MOST_SHOWN),
      ),
  );
}

/** The sum over all scopes: users where they are known, else policies. */
export function summaryOf(scopes: readonly ScopeDifference[]): string {
  const ofUsers = scopes.filter(({ scope }) => "users" in scope);
  const counted = ofUsers.length > 0 ? ofUsers : scopes;
  const summed = (direction: LineDirection): SummedLines => {
    const lines = counted.flatMap((one) => one[direction]);
    if (ofUsers.length === 0) return { lines };
    const users = ofUsers
      .filter((one) => one[direction].length > 0)
      .reduce((sum, { scope }) => sum + ("users" in scope ? scope.users.count : 0), 0);
    return { lines, users };
  };
  const isWhole = scopes.every(({ leftOut }) => leftOut.length === 0);
  return summaryText(summed("gains"), summed("losses"), isWhole);
}
