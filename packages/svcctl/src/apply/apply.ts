/** `svcctl apply` and `svcctl plan` (spec/management-cli §10). */

import { once } from "node:events";
import { resolve } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import type { ApplyAnswer } from "@svc-authorizer/contract/management-api.gen.ts";
import { readPolicies } from "@svc-authorizer/policy/analysis/files/policy-documents.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import type { DocumentSource } from "@svc-authorizer/policy/source-files/source.ts";
import { ApiClient } from "../api/api-client.ts";
import { answerTo } from "../api/operation.ts";
import type { CommandCall } from "../command.ts";
import { printObject } from "../output/print.ts";
import { isCut, NOT_ALL_SHOWN } from "../policy/difference-lines.ts";
import { findFiles } from "../policy/load-policies.ts";
import { watchFiles } from "../policy/watch-files.ts";
import { reportFailure } from "../report-failure.ts";
import { loadSettings } from "../settings/load-settings.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { confirm } from "../uri/confirm.ts";
import { changesOf, located, problemText } from "./difference.ts";
import { type AcceptedFinding, differenceMarkdown, differenceText, summaryText } from "./difference-text.ts";
import { IN_FOLDERS, pathsOf, readSources } from "./read-sources.ts";
import { effectsOf, type PolicyEffect } from "./semantic-changes.ts";

/** Exit code of a plan that finds changes. */
const CHANGES = 2;
/** Time in milliseconds in which a large application is done. */
const PATIENCE_MS = 120_000;

/** Shows what an application would change. */
export async function plan(call: CommandCall): Promise<void> {
  const run = await Run.begin(call);
  const difference = await run.difference();
  const complete = await preview(call, difference, run.sources);
  run.report(difference);
  const code = changesOf(difference) > 0 ? CHANGES : EXIT.ok;
  call.context.finish(complete ? code : NOT_ALL_SHOWN);
}

/** Applies files, and with `--watch` again after each change of them. */
export async function apply(call: CommandCall): Promise<void> {
  const { options } = call;
  if (options["watch"] !== true) return applyOnce(call);
  if (options["git"] !== undefined || pathsOf(call).includes("-")) {
    throw new UsageFailure("--watch watches files: neither --git nor - can be given with it");
  }
  await watch(call);
}

async function applyOnce(call: CommandCall): Promise<void> {
  const { context, options } = call;
  const run = await Run.begin(call);
  const difference = await run.difference();
  if (options["dryRun"] === true) {
    if (!(await preview(call, difference, run.sources))) context.finish(NOT_ALL_SHOWN);
    run.report(difference);
    return;
  }
  const effects = await effectsOf(difference.changes, partitionOf(call));
  const forPeople = isText(call);
  if (forPeople) await print(call, difference, effects);
  run.report(difference);
  if (difference.refused.length > 0) throw new Error("nothing was changed: see above what is not allowed");
  if (difference.removes_most) {
    await confirm(
      call,
      "Remove more than half of what was applied before",
      "nothing was changed: more than half of what was applied before would be removed",
    );
  }
  const done = await run.apply(difference);
  // The change is made: a code other than 0 would have scripts make it again, or call it failed.
  const unseen = isCut(effects) && changesOf(done) > 0 ? [UNSEEN] : [];
  if (forPeople) context.out(`applied: ${summaryText(done)}\n`);
  else await print(call, { ...done, warnings: [...done.warnings, ...unseen] }, effects);
  run.warn(unseen);
}

/** The warning of an application that was made although not everything that it does was shown. */
const UNSEEN: Problem = {
  pointer: "",
  message:
    "the change was made, but not all access that it gives and takes was shown; svcctl policy diff --limit shows more",
};

/** Prints a difference before it is applied; false where it says that it does not show all access that changes. */
async function preview(
  call: CommandCall,
  difference: ApplyAnswer,
  sources: readonly DocumentSource[],
): Promise<boolean> {
  const isMarkdown = call.options["markdown"] === true;
  // JSON and CSV have no access.
  const effects = isMarkdown || isText(call) ? await effectsOf(difference.changes, partitionOf(call)) : [];
  if (isMarkdown) call.context.out(differenceMarkdown(difference, effects, acceptedIn(sources, difference)));
  else await print(call, difference, effects);
  return !isCut(effects);
}

function print(call: CommandCall, difference: ApplyAnswer, effects: readonly PolicyEffect[]): Promise<void> {
  const { context } = call;
  // CSV has a line for each change.
  const object = context.format === "csv" ? difference.changes : difference;
  return printObject(call, object, () => differenceText(difference, effects, context.style));
}

function isText({ context, options }: CommandCall): boolean {
  return options["json"] !== true && context.format === "table";
}

function partitionOf({ options }: CommandCall): string {
  return textOption(options, "partition") ?? "svc";
}

/** The findings that policies accept which are added or changed. */
function acceptedIn(
  sources: readonly DocumentSource[],
  { changes }: ApplyAnswer,
): readonly AcceptedFinding[] {
  const changed = new Set(
    changes.flatMap(({ kind, name, action }) =>
      kind === "policy" && (action === "add" || action === "change") ? [name] : [],
    ),
  );
  return sources
    .flatMap((source) => readPolicies(source, "").policies)
    .filter(({ name }) => changed.has(name))
    .flatMap(({ name, accept = [] }) => accept.map((one) => ({ policy: name, ...one })));
}

/** One reading of the files, and what the server says about it. */
class Run {
  readonly #call: CommandCall;
  readonly #api: ApiClient;
  readonly sources: readonly DocumentSource[];

  private constructor(call: CommandCall, api: ApiClient, sources: readonly DocumentSource[]) {
    this.#call = call;
    this.#api = api;
    this.sources = sources;
  }

  static async begin(call: CommandCall): Promise<Run> {
    const sources = await readSources(call);
    return new Run(call, new ApiClient(call.context, loadSettings(call.context), PATIENCE_MS), sources);
  }

  difference(): Promise<ApplyAnswer> {
    return this.#post({ dry_run: true });
  }

  /** Applies exactly this difference. */
  async apply(difference: ApplyAnswer): Promise<ApplyAnswer> {
    const { digest: expected } = difference;
    try {
      return await this.#post({ expected, ...(difference.removes_most && { yes: true }) });
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.status !== 409) throw error;
      // An earlier try of this call, whose answer was lost, may have done it.
      const left = await this.difference();
      if (changesOf(left) > 0 || changesOf(difference) === 0) throw error;
      return { ...difference, dry_run: false };
    }
  }

  /** Writes warnings, and what the caller may not do, to standard error. */
  report({ refused, warnings }: ApplyAnswer): void {
    const { context } = this.#call;
    const { red } = context.errorStyle;
    this.warn(warnings);
    for (const problem of located(refused, this.sources)) {
      context.err(`${red("not allowed")}: ${problemText(problem)}\n`);
    }
  }

  /** Writes warnings to standard error. */
  warn(warnings: readonly Problem[]): void {
    const { context } = this.#call;
    const { yellow } = context.errorStyle;
    for (const problem of located(warnings, this.sources)) {
      context.err(`${yellow("warning")}: ${problemText(problem)}\n`);
    }
  }

  async #post(more: object): Promise<ApplyAnswer> {
    const { options, context } = this.#call;
    const body = {
      manager: textOption(options, "manager"),
      documents: this.sources.map(({ value }) => value),
      prune: options["prune"] === true,
      ...more,
    };
    try {
      const answer = await answerTo(this.#api, "POST /auth/apply", { body });
      if (!Array.isArray(answer.changes)) throw new Error("Bad response from server");
      return answer;
    } catch (error) {
      const problems = error instanceof ApiFailure ? error.problems : [];
      for (const problem of located(problems, this.sources)) context.err(`${problemText(problem)}\n`);
      throw error;
    }
  }
}

/** Applies at once and after each change, until the process is interrupted. */
async function watch(call: CommandCall): Promise<void> {
  const { context } = call;
  let running = Promise.resolve();
  const next = (): Promise<void> => {
    running = running.then(() => attempt(call));
    return running;
  };
  await interruptible(context, async (signal) => {
    const watched = watchFiles(await watchedPaths(call), next);
    await watched.ready;
    await next();
    context.err("watching; end with Ctrl+C\n");
    if (!signal.aborted) await once(signal, "abort");
    await watched.close();
  });
}

/** The folders and files that are named, and those that globs find. */
async function watchedPaths(call: CommandCall): Promise<readonly string[]> {
  const { context } = call;
  const { files } = await findFiles(context, pathsOf(call), IN_FOLDERS);
  return [...pathsOf(call), ...files].map((path) => resolve(context.edge.cwd, path));
}

async function attempt(call: CommandCall): Promise<void> {
  try {
    await applyOnce(call);
  } catch (error) {
    reportFailure(error, call.context);
  }
}
