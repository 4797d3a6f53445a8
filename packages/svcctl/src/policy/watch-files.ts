/** Calls back after changes of files and folders. */

import { watch } from "chokidar";

/** Time within which the writes of one save arrive, in milliseconds. */
const SETTLED_MS = 100;

/** A watch that runs until it is closed. */
interface FileWatch {
  /** Resolves once every path is watched. */
  readonly ready: Promise<void>;
  /** Watches additional paths. */
  add(paths: readonly string[]): void;
  close(): Promise<void>;
}

/** Watches paths, folders recursively. Calls of `changed` do not overlap. */
export function watchFiles(paths: readonly string[], changed: () => Promise<void>): FileWatch {
  const watcher = watch([...paths], {
    ignoreInitial: true,
    ignored: /(^|[/\\])(\.git|node_modules)([/\\]|$)/,
  });
  let timer: NodeJS.Timeout | undefined;
  let running = Promise.resolve();
  watcher.on("all", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      running = running.then(changed);
    }, SETTLED_MS);
  });
  return {
    ready: new Promise((resolve) => watcher.once("ready", () => resolve())),
    add: (more) => void watcher.add([...more]),
    close: async () => {
      clearTimeout(timer);
      await watcher.close();
      await running;
    },
  };
}
