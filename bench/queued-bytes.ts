/** Memory of connections that is not the process's own. */
import { readFileSync } from "node:fs";

/** Bytes that the kernel holds for the connections of ports: what peers have not taken, and what was not read. */
export function queuedBytes(ports: ReadonlySet<number>): number {
  let bytes = 0;
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of textOf(file).split("\n").slice(1)) {
      const [, local = "", , , queues = ""] = line.trim().split(/\s+/);
      if (!ports.has(Number.parseInt(local.slice(local.indexOf(":") + 1), 16))) continue;
      for (const queue of queues.split(":")) bytes += Number.parseInt(queue, 16);
    }
  }
  return bytes;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Not Linux.
    return "";
  }
}
