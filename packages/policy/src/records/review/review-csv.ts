/** A review as CSV: one row for each finding (spec/decision-log §5.4). */

import { statementWords } from "../../model/statement-words.ts";
import type { Review } from "./review.ts";
import { acceptedOf, acceptedWords, dayOf, stepWords, viaWords } from "./review-words.ts";

const HEAD = ["kind", "user", "type", "verbs", "resources", "through", "conditional", "last_used", "detail"];

/** Returns the text, with a row for each user and right, administrator, old key and change. */
export function reviewCsv(review: Review): string {
  const rows: (readonly string[])[] = [
    HEAD,
    ...administratorRows(review),
    ...accessRows(review),
    ...acceptedRows(review),
  ];
  for (const { access_key_id, user, creation_date, last_used } of review.old_keys) {
    rows.push([
      "old key",
      user,
      "",
      "",
      "",
      "",
      "",
      dayOf(last_used),
      `${access_key_id} of ${dayOf(creation_date)}`,
    ]);
  }
  for (const { at, actors, revision, users, groups, policies } of review.changes) {
    const names = [...users, ...groups, ...policies].join(" ");
    rows.push(["change", actors.join(" "), "", "", names, "", "", "", `${at} revision ${revision}`]);
  }
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function administratorRows({ administrators, undecided }: Review): (readonly string[])[] {
  const empty = ["", "", "", "", "", ""];
  return [
    ...administrators.map(({ user, steps }) => [
      steps.length === 0 ? "administrator" : "can become administrator",
      user,
      ...empty,
      steps.map(stepWords).join("; "),
    ]),
    ...undecided.map((user) => ["undecided", user, ...empty, "not found out in time"]),
  ];
}

function acceptedRows({ accepted }: Review): (readonly string[])[] {
  return accepted.map((one) => {
    const through = one.sid === undefined ? one.policy : `${one.policy}, ${one.sid}`;
    return ["accepted finding", "", "", "", "", through, "", "", `${one.rule}: ${one.reason}`];
  });
}

function accessRows({ access, accepted }: Review): (readonly string[])[] {
  return access.flatMap(({ users, rights }) =>
    users.flatMap(({ id, last_used }) => [
      ["user", id, "", "", "", "", "", dayOf(last_used), ""],
      ...rights.map((right) => [
        "right",
        id,
        right.type,
        right.verbs.join(" "),
        right.resources.join(" "),
        `${statementWords(right)}; ${viaWords(right.via)}`,
        right.conditional ? "yes" : "no",
        dayOf(right.last_used),
        acceptedWords(acceptedOf(accepted, right)),
      ]),
    ]),
  );
}

/** A cell that no spreadsheet takes for a formula. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
