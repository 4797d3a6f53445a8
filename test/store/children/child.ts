/** Runs the programs of this folder as processes of their own. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A running program and what it has printed. */
export interface Child {
  readonly process: ChildProcess;
  /** Complete lines of standard output so far. */
  lines(): string[];
  /** Waits until so many lines have been printed; throws with standard error when the program ends before. */
  printed(count: number): Promise<void>;
  /** Kills it like `kill -9` does and waits for its end. */
  kill(): Promise<void>;
}

/** Starts `children/<program>`, through the shell command `wrapper` (in which `"$@"` runs it) where one is given. */
export function startChild(program: string, args: readonly string[], wrapper?: string): Child {
  const command = [process.execPath, fileURLToPath(new URL(program, import.meta.url)), ...args];
  const [file, ...rest] = wrapper === undefined ? command : ["sh", "-c", wrapper, "sh", ...command];
  const child = spawn(file!, rest, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  const ended = once(child, "close");
  const lines = (): string[] => output.split("\n").slice(0, -1);
  return {
    process: child,
    lines,
    printed: async (count) => {
      while (lines().length < count) {
        const more = once(child.stdout, "data");
        if ((await Promise.race([more, ended.then(() => "ended")])) === "ended") {
          if (lines().length >= count) return;
          throw new Error(`${program} ended after ${lines().length} lines:\n${output}\n${errors}`);
        }
      }
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
