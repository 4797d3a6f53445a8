/** Says after a run which tests this machine cannot run, and how to get what they need (test/skips.json). */

import type { Reporter, TestModule } from "vitest/node";
import skips from "./skips.json" with { type: "json" };

/** Printed after vitest's own summary. */
export default class LeftOut implements Reporter {
  #isWhole = true;

  onInit(vitest: { readonly config: { readonly testNamePattern?: RegExp } }): void {
    // With a pattern nearly everything is left out, and for another reason.
    this.#isWhole = vitest.config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (!this.#isWhole) return;
    const names = modules.flatMap(({ children }) =>
      [...children.allTests("skipped")].map(({ fullName }) => fullName.replaceAll(" > ", " ")),
    );
    for (const line of leftOut(names)) process.stdout.write(`${line}\n`);
  }
}

/** One line for each reason why some of the named tests did not run. */
export function leftOut(names: readonly string[]): readonly string[] {
  return skips.flatMap(({ name, prefix, reason }) => {
    const { length } = names.filter((full) =>
      prefix === undefined ? full === name : full.startsWith(prefix),
    );
    return length === 0 ? [] : [`left out: ${length} × "${prefix ?? name}": ${reason}`];
  });
}
