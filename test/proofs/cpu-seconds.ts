/** CPU time of a process, which the load of the machine does not change. */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

/** User and system time of a running process so far, in seconds; on Linux. */
export function cpuSecondsOf({ pid }: Pick<ChildProcess, "pid">): number {
  // Behind the name in brackets; user and system time are the 12th and 13th field there, in hundredths of a second.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
