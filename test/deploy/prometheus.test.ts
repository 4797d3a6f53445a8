import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../end-to-end/program.ts";
import { hasProgram } from "../journal/has-program.ts";
import { faultsOf, metricsOfProcess } from "./real-metrics.ts";
import { ROOT, yamlOf } from "./repository.ts";

const FILE = "deploy/prometheus/rules.yaml";

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string };
}

const [file] = yamlOf(FILE) as [{ readonly groups: readonly { readonly rules: readonly Rule[] }[] }];
const rules = file.groups.flatMap((group) => group.rules);

let metrics: ReadonlyMap<string, string>;
beforeAll(async () => {
  metrics = await metricsOfProcess();
});
afterAll(cleanUp);

describe("the alert rules", () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))("%s asks for metrics that exist", (_, rule) => {
    expect(faultsOf(rule.expr, metrics)).toEqual([]);
  });

  it("say what happened, and what to do", () => {
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^SvcAuthorizer[A-Z]\w+$/);
      expect(["critical", "warning"]).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(20);
      expect(annotations.description).toMatch(/\.$/);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });

  it("have one for each way in which the log can be in trouble", () => {
    const asked = rules.map(({ expr }) => expr).join("\n");
    for (const metric of [
      "staleness_seconds",
      "rewound_total",
      "outcome_unknown_total",
      "engine_errors_total",
    ]) {
      expect(asked).toContain(`svc_authorizer_log_${metric}`);
    }
  });
});

describe.skipIf(!hasProgram("promtool"))("promtool", () => {
  it("accepts the alert rules", () => {
    const text = execFileSync("promtool", ["check", "rules", join(ROOT, FILE)], { encoding: "utf8" });
    expect(text).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
