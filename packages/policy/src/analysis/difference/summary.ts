/** The sum of a difference in one sentence. */

import type { DifferenceLine } from "./line.ts";

/** The lines of one direction, and for how many users they are. */
export interface SummedLines {
  readonly lines: readonly DifferenceLine[];
  /** Undefined where no users are known. */
  readonly users?: number;
}

/** Numbers of one direction. */
interface DifferenceSum {
  /** Known actions, and patterns that match none. */
  readonly actions: number;
  /** Distinct patterns of resources. */
  readonly patterns: number;
  readonly lines: number;
  /** Lines about which the comparison could not decide. */
  readonly undecided: number;
  readonly users?: number;
}

/** Counts the lines of one direction. */
function sumOf({ lines, users }: SummedLines): DifferenceSum {
  const decided = lines.filter(({ kind }) => kind !== "undecided");
  const names = decided.flatMap(({ known, actions }) => (known.length > 0 ? known : actions));
  return {
    actions: new Set(names).size,
    patterns: new Set(decided.map(({ resource }) => resource)).size,
    lines: lines.length,
    undecided: lines.length - decided.length,
    ...(users === undefined ? {} : { users }),
  };
}

function counted(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}

function sumText({ actions, patterns, lines, undecided, users }: DifferenceSum, isWhole: boolean): string {
  if (lines === 0) return isWhole ? "nothing" : "nothing found";
  const area = `${counted(actions, "action")} on ${counted(patterns, "pattern")}`;
  const parts = [
    ...(lines > undecided ? [users === undefined ? area : `${area}, for ${counted(users, "user")}`] : []),
    ...(undecided > 0 ? [`${counted(undecided, "line")} undecided`] : []),
  ];
  return (isWhole || lines === undecided ? "" : "at least ") + parts.join(", ");
}

/**
 * `gains: 14 actions on 3 patterns, for 212 users; loses: nothing`; of a difference that lacks something: `gains: at least
 * 14 actions on 3 patterns; loses: nothing found; not all shown`.
 */
export function summaryText(gains: SummedLines, losses: SummedLines, isWhole: boolean): string {
  const sums = `gains: ${sumText(sumOf(gains), isWhole)}; loses: ${sumText(sumOf(losses), isWhole)}`;
  return isWhole ? sums : `${sums}; not all shown`;
}
