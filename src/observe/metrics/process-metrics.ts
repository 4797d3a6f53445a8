/** Memory, processor time and handles of this process, under the names that dashboards for Prometheus know. */

import { readdirSync, readFileSync } from "node:fs";
import { getHeapSpaceStatistics } from "node:v8";
import { type LabelledValue, labelled, type ScrapedMetric, single } from "./scraped-metric.ts";

const MICROSECONDS = 1e6;
const KIBIBYTE = 1_024;

/** All metrics of the process; nothing runs between scrapes. */
export function processMetrics(): ScrapedMetric[] {
  return [...cpuMetrics(), ...memoryMetrics(), ...heapSpaceMetrics(), ...resourceMetrics()];
}

function cpuMetrics(): ScrapedMetric[] {
  const startedAt = Math.round(Date.now() / 1_000 - process.uptime());
  return [
    single("counter", "process_cpu_user_seconds_total", "User processor time spent.", () => {
      return process.cpuUsage().user / MICROSECONDS;
    }),
    single("counter", "process_cpu_system_seconds_total", "System processor time spent.", () => {
      return process.cpuUsage().system / MICROSECONDS;
    }),
    single("counter", "process_cpu_seconds_total", "User and system processor time spent.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    }),
    single("gauge", "process_start_time_seconds", "Start of the process in Unix seconds.", () => startedAt),
  ];
}

function memoryMetrics(): ScrapedMetric[] {
  return [
    single("gauge", "process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
    single("gauge", "process_virtual_memory_bytes", "Virtual memory (Linux).", () => statusBytes("VmSize")),
    single("gauge", "process_heap_bytes", "Data segment of the process (Linux).", () =>
      statusBytes("VmData"),
    ),
    single("gauge", "nodejs_heap_size_total_bytes", "JavaScript heap reserved.", () => {
      return process.memoryUsage().heapTotal;
    }),
    single("gauge", "nodejs_heap_size_used_bytes", "JavaScript heap in use.", () => {
      return process.memoryUsage().heapUsed;
    }),
    single("gauge", "nodejs_external_memory_bytes", "Memory of native objects bound to JavaScript.", () => {
      return process.memoryUsage().external;
    }),
  ];
}

/** A size in `/proc/self/status`, or undefined if there is none. */
function statusBytes(field: "VmSize" | "VmData"): number | undefined {
  const match = readProcFile("/proc/self/status").match(new RegExp(`^${field}:\\s*(\\d+) kB$`, "m"));
  return match === null ? undefined : Number(match[1]) * KIBIBYTE;
}

/** A file of the kernel's own (never waits for a disk), or "" if there is none. */
function readProcFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function heapSpaceMetrics(): ScrapedMetric[] {
  const spaces = (name: string, help: string, read: (space: HeapSpace) => number): ScrapedMetric =>
    labelled("gauge", `nodejs_heap_space_size_${name}_bytes`, help, ["space"], () =>
      getHeapSpaceStatistics().map(
        (space): LabelledValue => [{ space: space.space_name.replace(/_space$/, "") }, read(space)],
      ),
    );
  return [
    spaces("total", "Size of the heap space.", (space) => space.space_size),
    spaces("used", "Use of the heap space.", (space) => space.space_used_size),
    spaces("available", "Free part of the heap space.", (space) => space.space_available_size),
  ];
}

type HeapSpace = ReturnType<typeof getHeapSpaceStatistics>[number];

function resourceMetrics(): ScrapedMetric[] {
  const limit = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits"))?.[1];
  const [major = "", minor = "", patch = ""] = process.versions.node.split(".");
  const version = { version: process.version, major, minor, patch };
  return [
    single("gauge", "process_open_fds", "Open file descriptors (Linux).", openDescriptors),
    single("gauge", "process_max_fds", "Most file descriptors that may be open (Linux).", () => {
      return limit === undefined ? undefined : Number(limit);
    }),
    labelled(
      "gauge",
      "nodejs_active_resources",
      "What keeps the event loop alive, by type.",
      ["type"],
      () => {
        const byType = Map.groupBy(process.getActiveResourcesInfo(), (type) => type);
        return Array.from(byType, ([type, all]): LabelledValue => [{ type }, all.length]);
      },
    ),
    single("gauge", "nodejs_active_resources_total", "What keeps the event loop alive.", () => {
      return process.getActiveResourcesInfo().length;
    }),
    labelled("gauge", "nodejs_version_info", "Version of Node; the value is 1.", Object.keys(version), () => [
      [version, 1],
    ]),
  ];
}

function openDescriptors(): number | undefined {
  try {
    // One of them is the folder's own.
    return readdirSync("/proc/self/fd").length - 1;
  } catch {
    return undefined;
  }
}
