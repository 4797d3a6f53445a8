/** Summaries of the policy templates for help texts and completion, read without validating the whole catalog. */

import { readdirSync, readFileSync } from "node:fs";
import type { PolicyTemplate } from "./catalog.ts";

const TEMPLATES = new URL("../../policies/templates/", import.meta.url);

/** A template without its policy. */
export type TemplateSummary = Pick<PolicyTemplate, "id" | "description" | "parameters">;

/** The templates that ship, in the order of their ids. */
export function templateSummaries(): readonly TemplateSummary[] {
  return readdirSync(TEMPLATES)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, TEMPLATES), "utf8")) as TemplateSummary);
}
