/** The metrics of a real process, and their labels. */

import { join } from "node:path";
import { newFolder, start, writeConfig } from "../end-to-end/program.ts";
import { textOf } from "./repository.ts";

/** Types by name, as a process with a decision log and traces renders them. */
export async function metricsOfProcess(): Promise<ReadonlyMap<string, string>> {
  const folder = newFolder();
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "database.type": "mem",
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
    "authorizer.decision_log.directory": join(folder, "decisions"),
  });
  const program = await start(["--config", config], folder, { OTEL_TRACES_EXPORTER: "otlp" });
  const text = await (await fetch(`${program.metrics}/metrics`)).text();
  await program.end();
  return new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
}

/** Labels by name, from the page that a test compares with what a process renders. */
const LABELS: ReadonlyMap<string, readonly string[]> = new Map(
  [...textOf("docs/metrics.md").matchAll(/^\| `(\w+)` \| \w+([^|]*)\|/gm)].map(
    ([, name = "", labels = ""]) => [name, [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label)],
  ),
);

/** Labels that Prometheus itself adds. */
const SCRAPED = ["job", "instance"];

/** Faults of an expression: metrics that no process has, buckets of what is no histogram, labels that do not exist. */
export function faultsOf(expression: string, metrics: ReadonlyMap<string, string>): readonly string[] {
  const faults: string[] = [];
  const asked = new Set<string>();
  const names = /\b((?:svc_authorizer|process|nodejs)_\w+)(?:\{([^}]*)\})?/g;
  for (const [, name = "", selectors = ""] of expression.matchAll(names)) {
    const base = metrics.has(name) ? name : name.replace(/_(bucket|sum|count)$/, "");
    const type = metrics.get(base);
    if (type === undefined || (base !== name && type !== "histogram")) faults.push(`there is no ${name}`);
    if (type === "counter" && !/_total$/.test(name)) faults.push(`${name} is a counter`);
    const known = [...(LABELS.get(base) ?? []), ...SCRAPED, ...(base === name ? [] : ["le"])];
    for (const label of known) asked.add(label);
    for (const [, label = ""] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)) {
      if (!known.includes(label)) faults.push(`${name} has no label ${label}`);
    }
  }
  if (asked.size === 0) faults.push("it asks for no metric");
  for (const [, labels = ""] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of labels.split(",").map((one) => one.trim())) {
      if (!asked.has(label)) faults.push(`no metric in it has the label ${label}`);
    }
  }
  return faults;
}
