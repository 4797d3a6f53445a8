/** Descriptions of commands that list, create, delete and attach: one description for each kind, as data. */

import type { OptionSpec } from "@svc-authorizer/commands/command-spec.ts";
import type { PathPart } from "../api/path-template.ts";
import type { CommandSpec } from "../command.ts";
import type { Column } from "../output/records.ts";
import type { ChangeRequest, ListRequest, ShowRequest } from "../requests/request-types.ts";
import { JSON_OUTPUT, PAGING, PAST_PAGING, POLICY, SEARCH } from "./auth-options.ts";

/** Name, summary and examples of a command. */
interface Described {
  readonly name: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly options?: readonly OptionSpec[];
}

export function listCommand(described: Described, request: ListRequest): CommandSpec {
  const load = async () => (await import("../requests/run-list.ts")).listing(request);
  return { ...described, options: [...(described.options ?? []), SEARCH, ...PAGING], load };
}

export function changeCommand(described: Described, request: ChangeRequest): CommandSpec {
  const load = async () => (await import("../requests/run-change.ts")).changing(request);
  return { ...described, options: [...(described.options ?? []), JSON_OUTPUT], load };
}

export function showCommand(described: Described, request: ShowRequest): CommandSpec {
  const load = async () => (await import("../requests/run-show.ts")).showing(request);
  return { ...described, options: [...(described.options ?? []), JSON_OUTPUT], load };
}

const ID: PathPart = { option: "id" };

/** The kinds of entities that have a name and nothing else when they are created. */
interface Entity {
  /** Segment of the path: `users`. */
  readonly path: "users" | "groups";
  /** `user`. */
  readonly noun: string;
  /** Name in the examples. */
  readonly example: string;
  readonly id: OptionSpec;
  readonly columns: readonly Column[];
}

/** `list`, `create`, `show` and `delete` of users or groups. */
export function entityCommands({ path, noun, example, id, columns }: Entity): readonly CommandSpec[] {
  const Noun = noun.charAt(0).toUpperCase() + noun.slice(1);
  const described = (name: string, verb: string): Described => ({
    name,
    description: `${verb} a ${noun}.`,
    examples: [`--id ${example}`],
    options: [id],
  });
  const created = { path: ["auth", path], done: `${Noun} created successfully.` };
  return [
    listCommand(
      {
        name: "list",
        description: `Lists ${path}.`,
        examples: ["", `--prefix ${example[0]} --amount 20`, "--all -o json"],
      },
      { path: ["auth", path], columns },
    ),
    {
      ...described("create", "Creates"),
      options: [id, JSON_OUTPUT],
      load: async () => (await import("../requests/run-create.ts")).creating(created),
    },
    showCommand(described("show", "Shows"), { path: ["auth", path, ID], columns }),
    changeCommand(described("delete", "Deletes"), {
      method: "DELETE",
      path: ["auth", path, ID],
      expect: 204,
      done: `${Noun} deleted successfully`,
    }),
  ];
}

/** Columns of entries of the log. */
const ENTRY_COLUMNS: readonly Column[] = [
  { heading: "Revision", name: "revision", fields: ["revision"] },
  { heading: "Time", name: "at", fields: ["at"], kind: "time" },
  { heading: "By", name: "actors", fields: ["actors"] },
];

/** A command that lists entries of the log, newest first, with one column more. */
export function pastCommand(described: Described, { columns, ...request }: ListRequest): CommandSpec {
  const whole = { ...request, columns: [...ENTRY_COLUMNS, ...columns] };
  const load = async () => (await import("../requests/run-list.ts")).listing(whole);
  return { ...described, options: [...(described.options ?? []), ...PAST_PAGING], load };
}

const STATEMENT_COLUMNS: readonly Column[] = [
  { heading: "Policy ID", name: "policy", fields: ["id"] },
  { heading: "Creation Date", name: "creation_date", fields: ["creation_date"], kind: "date" },
  { heading: "Statement #", name: "statement", fields: [] },
  { heading: "Resource", name: "resource", fields: [] },
  { heading: "Effect", name: "effect", fields: [] },
  { heading: "Actions", name: "action", fields: [] },
  { heading: "Condition", name: "condition", fields: [], onlyIfAny: true },
];

/** `list`, `attach` and `detach` of the policies of a user or a group. */
export function attachmentCommands(
  { path, noun, example, id }: Omit<Entity, "columns">,
  effective: readonly OptionSpec[] = [],
): readonly CommandSpec[] {
  const policies: readonly PathPart[] = ["auth", path, ID, "policies"];
  const change = (name: string, sentence: string, method: "PUT" | "DELETE", expect: number): CommandSpec =>
    changeCommand(
      { name, description: sentence, examples: [`--id ${example} --policy ReadData`], options: [id, POLICY] },
      {
        method,
        path: [...policies, { option: "policy" }],
        expect,
        done: `Policy ${name}ed successfully`,
      },
    );
  return [
    listCommand(
      {
        name: "list",
        description: `Lists the statements of the policies of a ${noun}.`,
        examples: [`--id ${example}${effective.length > 0 ? " --effective" : ""}`],
        options: [id, ...effective],
      },
      {
        path: policies,
        columns: STATEMENT_COLUMNS,
        statements: true,
        ...(effective.length > 0 && { switches: ["effective"] }),
      },
    ),
    change("attach", `Attaches a policy to a ${noun}.`, "PUT", 201),
    change("detach", `Detaches a policy from a ${noun}.`, "DELETE", 204),
  ];
}
