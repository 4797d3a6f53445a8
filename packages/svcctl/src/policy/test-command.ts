/** `svcctl policy test`. */

import { resolve } from "node:path";
import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import { UsageFailure } from "@svc-authorizer/commands/failure.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { unknownFieldsText } from "@svc-authorizer/policy/analysis/files/registered-world.ts";
import { messageOf } from "@svc-authorizer/policy/errors.ts";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../output/json-text.ts";
import { writeWhole } from "../whole-file.ts";
import { junitOf } from "./junit.ts";
import { placeText } from "./placed-text.ts";
import { coveredPercent, failuresOf, reportText } from "./test-report.ts";
import { runSuites, type TestRun } from "./test-suites.ts";
import { watchFiles } from "./watch-files.ts";

/** Runs policy tests once, or with `--watch` again after each change until the input ends or the process is stopped. */
export async function test(call: CommandCall): Promise<void> {
  const { options } = call;
  const least = options["minCoverage"] as number | undefined;
  if (least !== undefined && (least < 0 || least > 100)) {
    throw new UsageFailure(`invalid argument "${least}" for "--min-coverage" flag: must be from 0 to 100`);
  }
  const run = await runOnce(call, least);
  if (options["watch"] === true) await watch(call, least, run.files);
}

async function runOnce(call: CommandCall, least: number | undefined): Promise<TestRun> {
  const { context, options, args } = call;
  const run = await runSuites(context, args, textOption(options, "partition") ?? "svc");
  const percent = coveredPercent(run.coverage);
  const isBelow = least !== undefined && percent < least;
  const failed = failuresOf(run);
  const { style, terminal } = context;
  if (options["json"] === true) context.out(jsonText(jsonOf(run, failed, percent)));
  else context.out(reportText(run, { coverage: options["coverage"] === true, terminal, style }));
  const unknown = run.suites.flatMap(({ results }) => results.flatMap((result) => result.unknown));
  const doubt = unknownFieldsText([...new Set(unknown)]);
  if (doubt !== undefined) context.err(`warning: ${safeText(doubt)}\n`);
  for (const { file, results } of run.suites) {
    for (const { case: test, doubts } of results) {
      const place = placeText({ file, pointer: test.pointer, message: "", ...test.position });
      for (const one of doubts) context.err(`warning: ${place}: ${safeText(`${test.name}: ${one}`)}\n`);
    }
  }
  if (isBelow) context.err(`${style.red("coverage")} is below the required ${least} %\n`);
  const junit = textOption(options, "junit");
  if (junit !== undefined) await writeWhole(resolve(context.edge.cwd, junit), junitOf(run));
  context.finish(failed > 0 || isBelow ? EXIT.failed : EXIT.ok);
  return run;
}

function jsonOf({ suites, coverage }: TestRun, failed: number, percent: number): object {
  return {
    passed: suites.flatMap(({ results }) => results).filter((result) => result.passed).length,
    failed,
    suites: suites.map(({ file, results, problems }) => ({
      file,
      problems,
      cases: results.map(({ case: { name, position }, passed, failures, doubts }) => ({
        name,
        line: position?.line,
        passed,
        failures,
        ...(doubts.length > 0 && { doubts }),
      })),
    })),
    coverage: { percent: Math.floor(percent), statements: coverage },
  };
}

async function watch(call: CommandCall, least: number | undefined, files: readonly string[]): Promise<void> {
  const { context, args } = call;
  const paths = (names: readonly string[]): string[] => names.map((name) => resolve(context.edge.cwd, name));
  const watched = watchFiles(paths([...args, ...files]), async () => {
    try {
      watched.add(paths((await runOnce(call, least)).files));
    } catch (error) {
      context.err(`${messageOf(error)}\n`);
    }
  });
  await watched.ready;
  context.err("watching; end with Ctrl+C\n");
  await new Promise<void>((end) => context.edge.stdin.once("end", end).resume());
  await watched.close();
}
