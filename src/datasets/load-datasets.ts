/** Loads data sets into the directory: all files together, atomically (spec/decision-api §6). */

import type { Catalog } from "@svc-authorizer/policy/catalog/catalog.ts";
import { AuthorizerError } from "@svc-authorizer/policy/errors.ts";
import type { DatasetDocument } from "@svc-authorizer/policy/model/dataset.ts";
import type { Guards } from "@svc-authorizer/policy/model/names.ts";
import type { PolicyLimits } from "@svc-authorizer/policy/model/policy-validation.ts";
import { compileTemplate } from "@svc-authorizer/policy/model/template.ts";
import { invalidParts } from "@svc-authorizer/policy/source-files/document-value.ts";
import { readDocument } from "@svc-authorizer/policy/source-files/read-document.ts";
import { selectFiles } from "@svc-authorizer/policy/source-files/select-files.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";
import type { DirectoryState } from "../directory/batch.ts";
import type { Directory } from "../directory/directory.ts";
import { type Change, type ChangeCounts, countChanges } from "./change.ts";
import { checkNames, checkPolicies, checkResources, type EntityChecks } from "./check-entities.ts";
import { checkForm } from "./check-form.ts";
import { checkReferences } from "./check-references.ts";
import { checkUnique } from "./check-unique.ts";
import { type CheckedSource, type MergedDataset, mergeDatasets } from "./merge.ts";
import { type DatasetMode, PlanBuilder } from "./plan.ts";
import { planPuts } from "./plan-puts.ts";
import { planRemovals, type RemovalShare } from "./plan-removals.ts";
import { MAX_REPORTED_PROBLEMS, ProblemList } from "./problem-list.ts";
import { type Environment, resolveSecrets } from "./secrets.ts";
import { type Wanted, wantedFrom } from "./wanted.ts";
import type { DatasetRules } from "./world.ts";

/** The progress of a load: files read, contents checked, operations applied. */
export interface DatasetProgress {
  readonly phase: "read" | "check" | "apply";
  readonly done: number;
  readonly total: number;
}

/** Options of {@link loadDatasets}. */
export interface LoadOptions {
  readonly directory: Directory;
  readonly catalog: Catalog;
  /** Paths and globs (`authorizer.datasets`). */
  readonly files: readonly string[];
  /** Data sets of a program. Problems name them `data set 1` and so on. */
  readonly documents?: readonly DatasetDocument[];
  /**
   * `load` creates missing entities. `sync` makes the directory equal to the files, and removes what an earlier sync
   * created.
   */
  readonly mode: DatasetMode;
  /** Report the changes without making them. */
  readonly dryRun?: boolean;
  /** Allow a sync to remove more than half of what it manages. */
  readonly yes?: boolean;
  /** Reads environment variables, for `secret_access_key_env`. */
  readonly env: Environment;
  /** `authorizer.guards`; default strict. */
  readonly guards?: Guards;
  /** `authorizer.limits` of policies. Absent members have their default. */
  readonly limits?: Partial<PolicyLimits>;
  readonly onProgress?: (progress: DatasetProgress) => void;
}

/** The result of a load, or of a dry run. */
export interface DatasetReport {
  readonly mode: DatasetMode;
  /** True if nothing was written. */
  readonly dryRun: boolean;
  /** The files read. */
  readonly files: readonly string[];
  readonly changes: readonly Change[];
  readonly counts: ChangeCounts;
  /** True if a sync removes more than half of what it manages; without `yes` it is refused. */
  readonly needsYes: boolean;
}

function rulesOf({ catalog, guards = "strict", limits = {} }: LoadOptions): DatasetRules {
  const { policies, groups } = catalog.preconfigured;
  return {
    partition: catalog.partition,
    guards,
    limits,
    preconfigured: {
      policies: policies.map(({ name, statement }) => ({ name, statement })),
      groups: groups.map(({ name, description, policies: names }) => ({
        name,
        description,
        policies: names,
      })),
    },
    builtInServices: catalog.services,
    builtInTypes: new Map([...catalog.resourceTypes].map(([name, type]) => [name, compileTemplate(type)])),
  };
}

/** Reads all files and validates them. Throws if a file cannot be read at all. */
async function readAll(options: LoadOptions, problems: ProblemList) {
  const { files, problems: unselected } = await selectFiles(options.files);
  for (const problem of unselected) problems.addFile(problem);
  const schema = options.catalog.schema("dataset");
  const checked: CheckedSource[] = [];
  for (const [index, file] of files.entries()) {
    const source = await readDataset(file, problems);
    const form = source && (await checkForm(source, schema, problems));
    if (form !== undefined) checked.push(form);
    options.onProgress?.({ phase: "read", done: index + 1, total: files.length });
  }
  for (const [index, value] of (options.documents ?? []).entries()) {
    const source = { file: `data set ${index + 1}`, value, locate: () => new Map() };
    for (const { pointer, message } of invalidParts(value, MAX_REPORTED_PROBLEMS, false))
      problems.add(source, pointer, message);
    const form = await checkForm(source, schema, problems);
    if (form !== undefined) checked.push(form);
  }
  // With a file missing, undefined names cannot be distinguished from names that it defines.
  if (checked.length < files.length + (options.documents?.length ?? 0) || unselected.length > 0)
    problems.throwIfAny();
  return { files, checked };
}

async function checkAll(checks: EntityChecks, env: Environment): Promise<Wanted> {
  const { merged, rules, state, mode, problems } = checks;
  await checkNames(checks);
  await checkReferences(merged, rules, state, mode, problems);
  checkUnique(merged, state, mode, problems);
  await checkPolicies(checks);
  checkResources(checks);
  const secrets = resolveSecrets(merged, env, problems);
  problems.throwIfAny();
  return wantedFrom(merged, secrets, rules.preconfigured);
}

function hasCredentials(merged: MergedDataset): boolean {
  return merged.users.entries.values().some(({ value }) => (value.credentials?.length ?? 0) > 0);
}

function isMoreThanHalf({ removed, managed }: RemovalShare): boolean {
  return removed * 2 > managed;
}

function refusal({ removed, managed }: RemovalShare): AuthorizerError {
  return new AuthorizerError(
    "conflict",
    `sync would remove ${removed} of the ${managed} things it manages, which is more than half; ` +
      "check the files with --dry-run, and confirm with --yes if that is meant. Nothing was changed",
  );
}

function makePlan(wanted: Wanted, state: DirectoryState, mode: DatasetMode) {
  const plan = new PlanBuilder();
  const share = mode === "sync" ? planRemovals(plan, wanted, state) : { removed: 0, managed: 0 };
  planPuts({ plan, state, mode }, wanted);
  return { plan, share };
}

/** Reads, checks and plans. It keeps no input, because memory is short while a large plan is applied. */
async function prepare(options: LoadOptions) {
  const { directory, mode, env, onProgress } = options;
  const problems = new ProblemList();
  const { files, checked } = await readAll(options, problems);
  const merged = await mergeDatasets(checked, problems);
  onProgress?.({ phase: "check", done: 0, total: 1 });
  const state = await directory.batches.state({ secrets: mode === "sync" && hasCredentials(merged) });
  const wanted = await checkAll({ merged, rules: rulesOf(options), state, mode, problems }, env);
  const { plan, share } = makePlan(wanted, state, mode);
  onProgress?.({ phase: "check", done: 1, total: 1 });
  return { files, operations: plan.operations, changes: plan.changes, share };
}

/**
 * Loads data sets. Readers of the directory see all of it or nothing.
 * @throws AuthorizerError "invalid_request" with every problem of all files (file, line, column, pointer), or if no
 * file is named; "conflict" for a sync that needs `yes`; errors of the directory
 */
export async function loadDatasets(options: LoadOptions): Promise<DatasetReport> {
  const { directory, mode, dryRun = false, yes = false, onProgress } = options;
  if (options.files.length + (options.documents?.length ?? 0) === 0)
    throw new AuthorizerError("invalid_request", "no data set file is named");
  const { files, operations, changes, share } = await prepare(options);
  const needsYes = isMoreThanHalf(share);
  if (!dryRun) {
    if (needsYes && !yes) throw refusal(share);
    if (operations.length > 0) {
      await directory.batches.apply(operations, {
        managed: mode === "sync",
        onProgress: (done, total) => onProgress?.({ phase: "apply", done, total }),
      });
    }
  }
  return { mode, dryRun, files, changes, counts: countChanges(changes), needsYes };
}

/**
 * Reads and parses one file, JSON or YAML by its extension (`.json`, `.yaml`, `.yml`). Adds faults to `problems` and
 * then returns undefined.
 */
async function readDataset(file: string, problems: ProblemList): Promise<DocumentSource | undefined> {
  const read = await readDocument(file, "data set");
  if ("source" in read) return read.source;
  for (const problem of read.problems) problems.addFile(problem);
  return undefined;
}
