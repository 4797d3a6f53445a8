/** A program as a process whose time, CPU time and memory are measured. */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { text } from "node:stream/consumers";

/** The tool that measures; the tests that need it are skipped where it lacks. */
export const HAS_TIME = existsSync("/usr/bin/time");

export interface Measured {
  code: number | null;
  output: string;
  seconds: number;
  /** User and system. */
  cpuSeconds: number;
  /** Most memory that was resident, in MB. */
  megabytes: number;
}

export async function measured(
  command: readonly string[],
  env: Record<string, string | undefined>,
  cwd: string,
): Promise<Measured> {
  const child = spawn("/usr/bin/time", ["-f", "\n%e %U %S %M", ...command], { cwd, env });
  const ended = new Promise<number | null>((resolve) => child.on("exit", resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  const lines = stderr.trimEnd().split("\n");
  const [seconds = 0, user = 0, system = 0, kilobytes = 0] = (lines.pop() ?? "").split(" ").map(Number);
  const megabytes = Math.ceil(kilobytes / 1024);
  return { code, output: stdout + lines.join("\n"), seconds, cpuSeconds: user + system, megabytes };
}
