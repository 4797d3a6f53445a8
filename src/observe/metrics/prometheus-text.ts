/** Prints metrics in the text format of Prometheus, version 0.0.4. */

import type { Sample } from "./fast-histogram.ts";
import type { ScrapedMetric } from "./scraped-metric.ts";

/** Content type of {@link prometheusText}. */
export const PROMETHEUS_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Returns the metrics with help, type and all samples; samples are read in the order of the metrics. */
export function prometheusText(metrics: readonly ScrapedMetric[]): string {
  return `${metrics.map(metricText).join("\n\n")}\n`;
}

function metricText(metric: ScrapedMetric): string {
  const { name, help, type } = metric;
  const lines = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`];
  for (const sample of metric.samples()) lines.push(sampleText(name, sample));
  return lines.join("\n");
}

function sampleText(name: string, { metricName = name, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(String(text))}"`);
  return `${metricName}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${numberText(value)}`;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}

function escapeHelp(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function escapeLabel(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"');
}
