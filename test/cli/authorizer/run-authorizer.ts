/** Runs svc-authorizer in this process, with an empty environment. */

import { runAuthorizer } from "../../../src/cli/program.ts";

/** Runs one command line; resolves with its exit code and what it wrote. */
export async function authorizer(...args: string[]) {
  const output = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") => ({
    write: (text: string) => {
      output[name] += text;
    },
  });
  const edge = { onStop: () => {}, onReload: () => {}, abort: () => {} };
  const code = await runAuthorizer(args, { stdout: sink("stdout"), stderr: sink("stderr"), ...edge }, {});
  return { code, ...output };
}
