/** Counts the objects that were imported: one line on a terminal. */

import type { CommandCall } from "../command.ts";

/** The line. */
interface Counter {
  show(objects: number): void;
  end(): void;
}

/** Begins to count on standard error, unless `--no-progress` was given or nobody looks. */
export async function openCounter({ context, options }: CommandCall, label: string): Promise<Counter> {
  const watched = context.terminal && context.edge.stderr.isTTY === true && context.format === "table";
  if (!watched || options["progress"] === false) return { show: () => {}, end: () => {} };
  const { createLogUpdate } = await import("log-update");
  const line = createLogUpdate(context.edge.stderr as NodeJS.WriteStream);
  return {
    show: (objects) => line(`${label}: ${objects} objects`),
    end: () => {
      line.clear();
      line.done();
    },
  };
}
