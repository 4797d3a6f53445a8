/** Names of templates and actions for help texts and completion, read without the checks of the whole catalog. */

import { readdirSync, readFileSync } from "node:fs";
import type { PolicyTemplate } from "./catalog.ts";

const POLICIES = new URL("../../../../policies/", import.meta.url);
const TEMPLATES = new URL("templates/", POLICIES);

/** A template without its policy. */
export type TemplateSummary = Pick<PolicyTemplate, "id" | "description" | "parameters">;

/** The templates that ship, in the order of their ids. */
export function templateSummaries(): readonly TemplateSummary[] {
  return readdirSync(TEMPLATES)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, TEMPLATES), "utf8")) as TemplateSummary);
}

/** The names of the actions that ship. */
export function actionNames(): readonly string[] {
  const text = readFileSync(new URL("actions.json", POLICIES), "utf8");
  return (JSON.parse(text) as { actions: readonly { name: string }[] }).actions.map(({ name }) => name);
}
