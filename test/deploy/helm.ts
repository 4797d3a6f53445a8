/** Renders the chart with Helm itself. */

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import { ROOT } from "./repository.ts";

/** Folder of the chart. */
export const CHART = join(ROOT, "deploy/helm/svc-authorizer");

/** Oldest Kubernetes that the chart takes; Helm names another one where no cluster is at hand. */
export const KUBERNETES = "1.30.0";

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
  readonly spec?: any;
}

const argumentsOf = (values: readonly string[]) => [
  "template",
  "rel",
  CHART,
  "--namespace=authz",
  `--kube-version=${KUBERNETES}`,
  ...values,
];

/** The text that Helm renders. */
export function rendered(...values: readonly string[]): string {
  return execFileSync("helm", argumentsOf(values), { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The reason why Helm refuses these values. */
export function refusal(...values: readonly string[]): string {
  const { status, stderr } = spawnSync("helm", argumentsOf(values), { encoding: "utf8" });
  return status === 0 ? "" : stderr;
}

/** The objects of a rendered text. */
export function manifestsOf(text: string): readonly Manifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}
