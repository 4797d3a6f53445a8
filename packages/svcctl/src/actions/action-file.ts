/** Files that declare hooks of a repository: what a data server accepts, in its own words. */

import { isObject } from "../api/pages.ts";

const EVENTS: ReadonlySet<string> = new Set([
  "prepare-commit",
  ...[
    "commit",
    "merge",
    "create-tag",
    "delete-tag",
    "create-branch",
    "delete-branch",
    "revert",
    "cherry-pick",
  ].flatMap((event) => [`pre-${event}`, `post-${event}`]),
]);

/** Kinds of hooks; of each group of properties, one is needed. */
const HOOKS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map([
  ["webhook", [["url"]]],
  ["airflow", [["url"], ["dag_id"], ["username"], ["password"]]],
  ["lua", [["script", "script_path"]]],
]);

const NAME = /^\w[\w\-. ]+$/;
const HOOK_ID = /^[_a-zA-Z][-_a-zA-Z0-9]{1,255}$/;
const INVALID = "invalid action";

/** Everything that is wrong with the text of such a file; nothing where it is valid. */
export async function actionFaults(text: string): Promise<readonly string[]> {
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text);
  if (document.errors.length > 0)
    return document.errors.map(({ message }) => `yaml: ${message.split("\n")[0]}`);
  const content: unknown = document.toJS({ maxAliasCount: 100 });
  if (content !== null && content !== undefined && !isObject(content)) return ["yaml: expected a mapping"];
  const action = isObject(content) ? content : {};
  const { name, on, hooks } = action;
  return [...nameFaults(name), ...eventFaults(on), ...hookListFaults(hooks)];
}

function nameFaults(name: unknown): readonly string[] {
  if (name === undefined || name === null || name === "") return [`'name' is required: ${INVALID}`];
  return typeof name === "string" && NAME.test(name) ? [] : [`'name' is invalid: ${INVALID}`];
}

function eventFaults(on: unknown): readonly string[] {
  const events = isObject(on) ? Object.entries(on) : [];
  if (events.length === 0) return [`'on' is required: ${INVALID}`];
  return events.flatMap(([event, rule]) => {
    if (!EVENTS.has(event)) return [`event '${event}' is not supported: ${INVALID}`];
    if (rule !== null && !isObject(rule)) return [`event '${event}': expected branches: ${INVALID}`];
    const branches = rule?.["branches"];
    if (branches === undefined || branches === null) return [];
    if (!Array.isArray(branches) || branches.some((one) => typeof one !== "string")) {
      return [`event '${event}': 'branches' is no list of names: ${INVALID}`];
    }
    return branches.length > 0 && event.endsWith("-tag")
      ? ["'branches' is not supported in tag event types. invalid event parameter"]
      : [];
  });
}

function hookListFaults(hooks: unknown): readonly string[] {
  if (hooks === undefined || hooks === null) return [];
  if (!Array.isArray(hooks)) return [`'hooks' is no list: ${INVALID}`];
  const ids = new Set<string>();
  return hooks.flatMap((hook: unknown, index) => {
    const { id, type, properties } = isObject(hook) ? hook : {};
    const faults: string[] = [];
    if (typeof id !== "string" || !HOOK_ID.test(id)) return [`hook[${index}] missing ID: ${INVALID}`];
    if (ids.has(id)) faults.push(`hook[${index}] duplicate ID '${id}': ${INVALID}`);
    ids.add(id);
    const groups = typeof type === "string" ? HOOKS.get(type) : undefined;
    if (groups === undefined) return [...faults, `hook[${index}] type '${id}' unknown: ${INVALID}`];
    if (!isObject(properties)) {
      return [...faults, `hook[${index}] type '${String(type)}': missing hook properties: ${INVALID}`];
    }
    const given = properties;
    const missing = groups.filter((group) => !group.some((property) => Object.hasOwn(given, property)));
    const lacks = missing.map(
      (group) =>
        `hook[${index}] type '${String(type)}': '${group.join("' or '")}' must be supplied in properties: ${INVALID}`,
    );
    return [...faults, ...lacks];
  });
}
