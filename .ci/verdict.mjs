// Reads vitest's JSON results, names what failed and what was skipped without leave, and closes with
// "N passed, N failed". A test that did not run counts as failed unless the list of skips names it.
//
// usage: node .ci/verdict.mjs RESULTS.json SKIPS.json

import { readFileSync } from "node:fs";

const [resultsFile, skipsFile] = process.argv.slice(2);

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

/** @type {{ name: string, status: string, message: string, assertionResults: { fullName: string, status: string }[] }[]} */
const files = JSON.parse(readFileSync(resultsFile, "utf8")).testResults;
const tests = files.flatMap((file) => file.assertionResults);

const passed = tests.filter((test) => test.status === "passed");
const idle = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
const skipped = idle.filter((test) => reasonOf(test) !== undefined);

const problems = [
  ...tests.filter((test) => test.status === "failed").map((test) => `failed: ${test.fullName}`),
  ...idle
    .filter((test) => !skipped.includes(test))
    .map((test) => `not run (${test.status}): ${test.fullName}`),
  ...files.filter(isBroken).map((file) => `failed to load: ${file.name}`),
  ...allowed
    .filter((skip) => !tests.some((test) => names(skip, test)))
    .map((skip) => `${skipsFile} names a test that does not exist: ${skip.name ?? skip.prefix}`),
];

/** A file that failed without a failed test of its own: it did not load, or a hook failed. */
function isBroken(file) {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}

for (const problem of problems) process.stdout.write(`${problem}\n`);
for (const test of skipped) process.stdout.write(`skipped: ${test.fullName} (${reasonOf(test)})\n`);
if (tests.length === 0) process.stdout.write("no test ran\n");
const counts = `${passed.length} passed, ${problems.length} failed`;
process.stdout.write(`${counts}${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`);
process.exitCode = problems.length > 0 || tests.length === 0 ? 1 : 0;
