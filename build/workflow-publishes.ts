/** Checks that the workflow of releases publishes every package with provenance. */

import { parse } from "yaml";

interface Step {
  readonly run?: string;
  readonly name?: string;
}
interface Workflow {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs?: Readonly<
    Record<
      string,
      { readonly permissions?: Readonly<Record<string, string>>; readonly steps?: readonly Step[] }
    >
  >;
}

/**
 * Returns what keeps the workflow from publishing with provenance.
 * @param text of the workflow
 * @param names of the packages, in the order in which they are published
 */
export function publishProblems(text: string, names: readonly string[]): readonly string[] {
  const { permissions, jobs = {} } = parse(text) as Workflow;
  const found = Object.values(jobs).flatMap((job) =>
    (job.steps ?? []).map((step) => ({ run: step.run ?? "", permissions: job.permissions ?? permissions })),
  );
  const publishing = found.filter(({ run }) => /\bnpm publish\b/.test(run));
  if (publishing.length !== 1) return [`one step with npm publish is expected, found ${publishing.length}`];
  const [step] = publishing as [(typeof publishing)[number]];
  const published =
    /\bfor name in (?<names>[\w -]+);/.exec(step.run)?.groups?.["names"]?.trim().split(/\s+/) ?? [];
  const problems: string[] = [];
  if (!/\bnpm publish\b[^;&|]*\s--provenance\b/.test(step.run))
    problems.push("npm publish lacks --provenance");
  if (step.permissions?.["id-token"] !== "write") {
    problems.push("the job lacks the permission id-token: write, with which provenance is signed");
  }
  if (published.join() !== names.join()) {
    problems.push(`it publishes ${published.join(", ") || "nothing"}; the packages are ${names.join(", ")}`);
  }
  return problems;
}
