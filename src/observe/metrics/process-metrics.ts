/** Memory, processor time and handles of this process, under the names that dashboards for Prometheus know. */

import { readdirSync, readFileSync } from "node:fs";
import { getHeapSpaceStatistics } from "node:v8";
import { type Labelled, metricsNamed, type Row, type ScrapedMetric } from "./metric.ts";

const { counter, gauge } = metricsNamed("process_");
const { gauge: nodeGauge } = metricsNamed("nodejs_");

const MICROSECONDS = 1e6;
const KIBIBYTE = 1_024;

/** All metrics of the process; nothing runs between scrapes. */
export function processMetrics(): ScrapedMetric[] {
  return [...cpuMetrics(), ...memoryMetrics(), ...heapSpaceMetrics(), ...resourceMetrics()];
}

function cpuMetrics(): ScrapedMetric[] {
  const startedAt = Math.round(Date.now() / 1_000 - process.uptime());
  return [
    counter(
      "cpu_user_seconds_total",
      "User processor time spent.",
      () => process.cpuUsage().user / MICROSECONDS,
    ),
    counter(
      "cpu_system_seconds_total",
      "System processor time spent.",
      () => process.cpuUsage().system / MICROSECONDS,
    ),
    counter("cpu_seconds_total", "User and system processor time spent.", () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / MICROSECONDS;
    }),
    gauge("start_time_seconds", "Start of the process in Unix seconds.", () => startedAt),
  ];
}

function memoryMetrics(): ScrapedMetric[] {
  const memory = () => process.memoryUsage();
  return [
    gauge("resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss()),
    gauge("virtual_memory_bytes", "Virtual memory (Linux).", () => statusBytes("VmSize")),
    gauge("heap_bytes", "Data segment of the process (Linux).", () => statusBytes("VmData")),
    nodeGauge("heap_size_total_bytes", "JavaScript heap reserved.", () => memory().heapTotal),
    nodeGauge("heap_size_used_bytes", "JavaScript heap in use.", () => memory().heapUsed),
    nodeGauge(
      "external_memory_bytes",
      "Memory of native objects bound to JavaScript.",
      () => memory().external,
    ),
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
  return [
    nodeGauge("heap_space_size_total_bytes", "Size of the heap space.", spaces("space_size")),
    nodeGauge("heap_space_size_used_bytes", "Use of the heap space.", spaces("space_used_size")),
    nodeGauge(
      "heap_space_size_available_bytes",
      "Free part of the heap space.",
      spaces("space_available_size"),
    ),
  ];
}

function spaces(field: keyof HeapSpaceNumbers): Labelled {
  const read = () =>
    getHeapSpaceStatistics().map((one): Row => [[one.space_name.replace(/_space$/, "")], one[field]]);
  return { labels: ["space"], read };
}

type HeapSpaceNumbers = Omit<ReturnType<typeof getHeapSpaceStatistics>[number], "space_name">;

function resourceMetrics(): ScrapedMetric[] {
  const limit = /^Max open files\s+(\d+)/m.exec(readProcFile("/proc/self/limits"))?.[1];
  const [major = "", minor = "", patch = ""] = process.versions.node.split(".");
  return [
    gauge("open_fds", "Open file descriptors (Linux).", openDescriptors),
    gauge("max_fds", "Most file descriptors that may be open (Linux).", () => {
      return limit === undefined ? undefined : Number(limit);
    }),
    nodeGauge("active_resources", "What keeps the event loop alive, by type.", {
      labels: ["type"],
      read: () =>
        Map.groupBy(process.getActiveResourcesInfo(), String)
          .entries()
          .map(([type, all]): Row => [[type], all.length]),
    }),
    nodeGauge("active_resources_total", "What keeps the event loop alive.", () => {
      return process.getActiveResourcesInfo().length;
    }),
    nodeGauge("version_info", "Version of Node; the value is 1.", {
      labels: ["version", "major", "minor", "patch"],
      read: () => [[[process.version, major, minor, patch], 1]],
    }),
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
