/** A group of processes that may have so much memory together, as a container has: a folder below `/sys/fs/cgroup`. */

import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = "/sys/fs/cgroup";

/** A group with a limit. */
export interface MemoryGroup {
  /** The command with which a program starts inside of it. */
  command(program: string, args: readonly string[]): readonly [string, ...string[]];
  /** Processes that were ended as there was no memory left. */
  killed(): number;
  /** To be called once all processes have ended. */
  remove(): void;
}

/** True where this machine lets one make a group. */
export function canLimitMemory(): boolean {
  const group = makeMemoryGroup(2 ** 29);
  group?.remove();
  return group !== undefined;
}

/** Makes a group; undefined where this machine does not let one. */
export function makeMemoryGroup(bytes: number): MemoryGroup | undefined {
  const isFirst = existsSync(join(ROOT, "memory", "memory.limit_in_bytes"));
  const folder = join(isFirst ? join(ROOT, "memory") : ROOT, `svc-authorizer-test-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, isFirst ? "memory.limit_in_bytes" : "memory.max"), String(bytes));
  } catch {
    if (existsSync(folder)) rmdirSync(folder);
    return undefined;
  }
  const events = join(folder, isFirst ? "memory.oom_control" : "memory.events");
  return {
    // The shell joins, and becomes the program.
    command: (program, args) => {
      const join = `echo $$ > '${folder}/cgroup.procs' && exec "$@"`;
      return ["sh", "-c", join, "sh", program, ...args];
    },
    killed: () => Number(/^oom_kill (\d+)/m.exec(readFileSync(events, "utf8"))?.[1] ?? Number.NaN),
    remove: () => rmdirSync(folder),
  };
}
