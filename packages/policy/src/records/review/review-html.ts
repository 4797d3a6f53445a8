/** A review as one HTML file without outside references, for the screen and for paper (spec/decision-log §5.4). */

import { escapeHtml } from "../../html.ts";
import { statementWords } from "../../model/statement-words.ts";
import type {
  Review,
  ReviewedAcceptance,
  ReviewedAccess,
  ReviewedAdministrator,
  ReviewedChange,
} from "./review.ts";
import { acceptedOf, acceptedWords, dayOf, stepWords, viaWords } from "./review-words.ts";

const STYLE = `
  :root { color-scheme: light; }
  body { font: 10.5pt/1.45 system-ui, "Segoe UI", "Helvetica Neue", Arial, sans-serif; color: #1a1a1a; background: #fff;
    max-width: 62rem; margin: 2rem auto; padding: 0 1.5rem; }
  h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
  h2 { font-size: 1.2rem; margin: 2rem 0 .6rem; border-bottom: 2px solid #1a1a1a; padding-bottom: .2rem; }
  h3 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
  p { margin: .3rem 0; }
  .quiet { color: #555; }
  table { border-collapse: collapse; width: 100%; margin: .4rem 0 .8rem; }
  th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ccc;
    overflow-wrap: anywhere; }
  .rights th, .rights td:first-child, .rights td:last-child { white-space: nowrap; }
  th { border-bottom-color: #1a1a1a; font-weight: 600; }
  code { font: .92em ui-monospace, Consolas, monospace; overflow-wrap: anywhere; }
  ol { margin: .2rem 0; padding-left: 1.4rem; }
  .note { border-left: 4px solid #b45309; padding: .2rem .8rem; margin: .5rem 0; }
  .sign { display: flex; gap: 3rem; margin-top: 3rem; }
  .sign div { flex: 1; border-top: 1px solid #1a1a1a; padding-top: .2rem; }
  @page { size: A4; margin: 18mm 16mm; }
  @media print {
    body { max-width: none; margin: 0; padding: 0; font-size: 9pt; }
    h2, h3 { break-after: avoid; }
    tr, li, .note, .sign { break-inside: avoid; }
    thead { display: table-header-group; }
  }
`;

/** Returns the file. */
export function reviewHtml(review: Review): string {
  const { at, since, revision, node, counts, counted_since, warnings } = review;
  const counted =
    counted_since === undefined ? "" : ` Use is counted since ${escapeHtml(counted_since.slice(0, 10))}.`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Access review ${escapeHtml(at.slice(0, 10))}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Access review</h1>
<p>${escapeHtml(at.replace("T", " ").slice(0, 16))} UTC, revision ${revision}, node ${escapeHtml(node)}.</p>
<p class="quiet">${counts.users} users, ${counts.groups} groups, ${counts.policies} policies, ${counts.keys} access keys. Changes since ${escapeHtml(since.slice(0, 10))}.${counted}</p>
${warnings.map((warning) => `<p class="note">${escapeHtml(warning)}</p>`).join("\n")}
<h2>Administrators in effect</h2>
${administratorsHtml(review)}
<h2>Who may do what</h2>
${review.access.map((one) => accessHtml(one, review.accepted)).join("\n")}
<h2>Findings of lint that policies accept</h2>
${acceptedHtml(review)}
<h2>Access keys older than a year</h2>
${keysHtml(review)}
<h2>Changes since ${escapeHtml(since.slice(0, 10))}</h2>
${changesHtml(review.changes)}
<div class="sign"><div>Reviewed by</div><div>Date</div></div>
</body>
</html>
`;
}

function administratorsHtml({ administrators, undecided }: Review): string {
  const already = administrators.filter(({ steps }) => steps.length === 0).map(({ user }) => user);
  const becoming = administrators.filter(({ steps }) => steps.length > 0);
  const parts = [
    already.length === 0
      ? "<p>Nobody is an administrator.</p>"
      : `<p>Administrators: ${already.map((user) => `<strong>${escapeHtml(user)}</strong>`).join(", ")}.</p>`,
    becoming.length === 0
      ? "<p>Nobody else can become one.</p>"
      : table(["User", "Can become an administrator by these steps"], becoming.map(becomingRow)),
  ];
  if (undecided.length > 0) {
    parts.push(`<p class="note">Not found out in time: ${undecided.map(escapeHtml).join(", ")}.</p>`);
  }
  return parts.join("\n");
}

function becomingRow({ user, steps }: ReviewedAdministrator): readonly string[] {
  const items = steps.map((step) => {
    const by = step.allowed_by.map((one) => escapeHtml(statementWords(one))).join(", ");
    return `<li>${escapeHtml(stepWords(step))} <span class="quiet">(allowed by ${by})</span></li>`;
  });
  return [`<strong>${escapeHtml(user)}</strong>`, `<ol>${items.join("")}</ol>`];
}

function accessHtml(
  { users, groups, policies, rights }: ReviewedAccess,
  accepted: readonly ReviewedAcceptance[],
): string {
  const names = users.map(
    ({ id, last_used }) => `${escapeHtml(id)} <span class="quiet">(${dayOf(last_used)})</span>`,
  );
  const of = [
    groups.length === 0
      ? "no group"
      : `${groups.length === 1 ? "group" : "groups"} ${groups.map(escapeHtml).join(", ")}`,
    ...(policies.length === 0
      ? []
      : [`${policies.length === 1 ? "policy" : "policies"} ${policies.map(escapeHtml).join(", ")}`]),
  ].join("; ");
  const head = `<h3>${of}</h3>\n<p>${users.length} ${users.length === 1 ? "user" : "users"}, with last use: ${names.join(", ")}</p>`;
  if (rights.length === 0) return `${head}\n<p class="quiet">May do nothing.</p>`;
  const rows = rights.map((right) => [
    escapeHtml(right.type),
    escapeHtml(right.verbs.join(", ")),
    `${right.resources.map((one) => `<code>${escapeHtml(one)}</code>`).join("<br>")}${right.conditional ? '<br><span class="quiet">under a condition</span>' : ""}`,
    [
      escapeHtml(statementWords(right)),
      ...[viaWords(right.via), acceptedWords(acceptedOf(accepted, right))]
        .filter((words) => words !== "")
        .map((words) => `<span class="quiet">${escapeHtml(words)}</span>`),
    ].join("<br>"),
    dayOf(right.last_used),
  ]);
  return `${head}\n${table(["Type", "May", "On", "Through", "Last used"], rows, "rights")}`;
}

function acceptedHtml({ accepted }: Review): string {
  if (accepted.length === 0) return "<p>None.</p>";
  return table(
    ["Policy", "Statement", "Rule", "Reason"],
    accepted.map(({ policy, sid = "all", rule, reason }) => [policy, sid, rule, reason].map(escapeHtml)),
  );
}

function keysHtml({ old_keys }: Review): string {
  if (old_keys.length === 0) return "<p>None.</p>";
  return table(
    ["Access key", "User", "Created", "Last used"],
    old_keys.map(({ access_key_id, user, creation_date, last_used }) => [
      `<code>${escapeHtml(access_key_id)}</code>`,
      escapeHtml(user),
      dayOf(creation_date),
      dayOf(last_used),
    ]),
  );
}

function changesHtml(changes: readonly ReviewedChange[]): string {
  if (changes.length === 0) return "<p>None.</p>";
  return table(
    ["Time", "By", "Changed"],
    changes.map(({ at, actors, revision, users, groups, policies }) => {
      const parts = Object.entries({ users, groups, policies }).filter(([, names]) => names.length > 0);
      const text = parts.map(([kind, names]) => `${kind}: ${names.map(escapeHtml).join(", ")}`).join("<br>");
      return [
        `${escapeHtml(at.replace("T", " ").slice(0, 16))}<br><span class="quiet">revision ${revision}</span>`,
        actors.length === 0 ? "the service" : actors.map(escapeHtml).join(", "),
        text,
      ];
    }),
  );
}

/** A table of cells that are HTML. */
function table(headings: readonly string[], rows: readonly (readonly string[])[], kind = "list"): string {
  const head = headings.map((heading) => `<th scope="col">${escapeHtml(heading)}</th>`).join("");
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table class="${kind}">\n<thead><tr>${head}</tr></thead>\n<tbody>\n${body}\n</tbody>\n</table>`;
}
