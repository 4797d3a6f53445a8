// Reads vitest's JSON results, names what failed and what was skipped without leave, and closes with
// "N passed, N failed". A test that did not run counts as failed unless the list of skips names it.
//
// usage: node .ci/verdict.mjs RESULTS.json SKIPS.json

import { readFileSync } from "node:fs";

const [resultsFile, skipsFile] = process.argv.slice(2);

/** [{ "name": full name of a test, "reason": where it cannot run }] */
const allowed = new Map(JSON.parse(readFileSync(skipsFile, "utf8")).map((skip) => [skip.name, skip.reason]));

/** @type {{ name: string, status: string, message: string, assertionResults: { fullName: string, status: string }[] }[]} */
const files = JSON.parse(readFileSync(resultsFile, "utf8")).testResults;
const tests = files.flatMap((file) => file.assertionResults);

const passed = tests.filter((test) => test.status === "passed");
const idle = tests.filter((test) => test.status !== "passed" && test.status !== "failed");
const skipped = idle.filter((test) => allowed.get(test.fullName)?.trim());

const problems = [
  ...tests.filter((test) => test.status === "failed").map((test) => `failed: ${test.fullName}`),
  ...idle
    .filter((test) => !skipped.includes(test))
    .map((test) => `not run (${test.status}): ${test.fullName}`),
  ...files.filter(isBroken).map((file) => `failed to load: ${file.name}`),
  ...[...allowed.keys()]
    .filter((name) => !tests.some((test) => test.fullName === name))
    .map((name) => `${skipsFile} names a test that does not exist: ${name}`),
];

/** A file that failed without a failed test of its own: it did not load, or a hook failed. */
function isBroken(file) {
  return file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed");
}

for (const problem of problems) process.stdout.write(`${problem}\n`);
for (const test of skipped)
  process.stdout.write(`skipped: ${test.fullName} (${allowed.get(test.fullName)})\n`);
if (tests.length === 0) process.stdout.write("no test ran\n");
const counts = `${passed.length} passed, ${problems.length} failed`;
process.stdout.write(`${counts}${skipped.length > 0 ? `, ${skipped.length} skipped` : ""}\n`);
process.exitCode = problems.length > 0 || tests.length === 0 ? 1 : 0;
