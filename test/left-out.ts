/**
 * Says before a whole run what it needs and how long it takes, and after it which tests this machine cannot run, and how
 * to get what they need (test/skips.json).
 */

import type { Reporter, TestModule, TestSpecification } from "vitest/node";
import { PROJECTS } from "./projects.ts";
import skips from "./skips.json" with { type: "json" };

/** Printed after vitest's own summary. */
export default class LeftOut implements Reporter {
  #isWhole = true;

  onInit(vitest: { readonly config: { readonly testNamePattern?: RegExp } }): void {
    // With a pattern nearly everything is left out, and for another reason.
    this.#isWhole = vitest.config.testNamePattern === undefined;
  }

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    const files = (project: string) => specifications.filter((one) => one.project.name === project).length;
    const [unit, service, processes] = PROJECTS.map(files);
    if (!this.#isWhole || !unit || !service || !processes || unit < 100) return;
    process.stdout.write(
      `${unit + service + processes} files: ${processes} start programs (PostgreSQL, proxies, a browser, where they are ` +
        "installed), about half an hour on two idle cores. npm run test:unit runs the " +
        `${unit} that start nothing, in a minute.\n`,
    );
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
