// Reads vitest's JSON results, names what failed and what was skipped without leave, and closes with
// "N passed, N failed". A test that did not run counts as failed unless the list of skips names it. Where files were
// run once more, their second result counts, and the tests that failed first are named as unsteady.
//
// usage: node .ci/verdict.mjs RESULTS.json SKIPS.json [AGAIN.json]

import { existsSync, readFileSync } from "node:fs";

const [resultsFile, skipsFile, againFile] = process.argv.slice(2);

/** [{ "name": full name of a test, or "prefix": how names of tests begin, "reason": where they cannot run }] */
const allowed = JSON.parse(readFileSync(skipsFile, "utf8"));

/** Whether an entry of the list names a test. */
function names(skip, test) {
  return skip.prefix === undefined ? test.fullName === skip.name : test.fullName.startsWith(skip.prefix);
}

/** Why a test may be skipped; undefined where it may not. */
function reasonOf(test) {
  return allowed.find((skip) => names(skip, test))?.reason?.trim() || undefined;
}

/** @type {{ name: string, status: string, message: string, assertionResults: { fullName: string, status: string, failureMessages: string[] }[] }[]} */
const first = JSON.parse(readFileSync(resultsFile, "utf8")).testResults;
/** The same, of the files that were run once more. */
const again =
  againFile && existsSync(againFile) ? JSON.parse(readFileSync(againFile, "utf8")).testResults : [];
const files = first.map((file) => again.find((second) => second.name === file.name) ?? file);
const tests = files.flatMap((file) => file.assertionResults);

const passed = tests.filter((test) => test.status === "passed");
const idle = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
const skipped = idle.filter((test) => reasonOf(test) !== undefined);

const problems = [
  ...idle
    .filter((test) => !skipped.includes(test))
    .map((test) => `not run (${test.status}): ${test.fullName}`),
  ...allowed
    .filter((skip) => !tests.some((test) => names(skip, test)))
    .map((skip) => `${skipsFile} names a test that does not exist: ${skip.name ?? skip.prefix}`),
  ...files.filter(isBroken).map((file) => `failed to load: ${file.name}\n${shortly(file.message)}`),
  ...files.flatMap((file) =>
    file.assertionResults
      .filter((test) => test.status === "failed")
      .map((test) => `failed: ${test.fullName} (${file.name})\n${shortly(test.failureMessages.join("\n"))}`),
  ),
];

/** The first lines of a failure's message, indented. */
function shortly(message) {
  return message
    .split("\n")
    .slice(0, 30)
    .map((line) => `    ${line.slice(0, 400)}`)
    .join("\n");
}

/** A file that failed without a failed test of its own: it did not load, or a hook failed. */
function isBroken(file) {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}

// A reason is said once, with how many tests it left out; the failures come last, where a reader of the end finds them.
for (const skip of allowed) {
  const left = skipped.filter((test) => allowed.find((entry) => names(entry, test)) === skip);
  if (left.length === 0) continue;
  process.stdout.write(`skipped: ${left.length} of "${skip.name ?? skip.prefix}" (${skip.reason.trim()})\n`);
}
for (const file of first) {
  if (files.includes(file)) continue;
  if (isBroken(file)) process.stdout.write(`unsteady, failed to load at the first try: ${file.name}\n`);
  for (const test of file.assertionResults) {
    if (test.status !== "failed") continue;
    process.stdout.write(`unsteady, failed at the first try: ${test.fullName} (${file.name})\n`);
    process.stdout.write(`${shortly(test.failureMessages.join("\n"))}\n`);
  }
}
for (const problem of problems) process.stdout.write(`${problem}\n`);
if (tests.length === 0) process.stdout.write("no test ran\n");
const counts = `${passed.length} passed, ${problems.length} failed`;
process.stdout.write(`${counts}${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`);
process.exitCode = problems.length > 0 || tests.length === 0 ? 1 : 0;
