import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp } from "../end-to-end/program.ts";
import { hasProgram } from "../journal/has-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";
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

  it("compares the nodes of one fleet, and not two fleets of one Prometheus", () => {
    const folder = temporaryFolder();
    const node = (instance: string, log: string, revision: number) => [
      { series: `svc_authorizer_log_revision{job="svc",instance="${instance}"}`, values: `${revision}x10` },
      { series: `svc_authorizer_log_info{job="svc",instance="${instance}",log="${log}"}`, values: "1x10" },
    ];
    const { annotations } = rules.find(({ alert }) => alert === "SvcAuthorizerNodesApart")!;
    const behind = {
      exp_labels: { severity: "warning", log: "fleet-b" },
      exp_annotations: {
        ...annotations,
        summary: "A node of the fleet with log fleet-b is 693 changes behind",
      },
    };
    const cases = [
      { input_series: [...node("a1", "fleet-a", 9_000), ...node("b1", "fleet-b", 7)], exp_alerts: [] },
      {
        input_series: [
          ...node("a1", "fleet-a", 9_000),
          ...node("b1", "fleet-b", 700),
          ...node("b2", "fleet-b", 7),
        ],
        exp_alerts: [behind],
      },
    ];
    const tests = cases.map(({ input_series, exp_alerts }) => ({
      interval: "1m",
      input_series,
      alert_rule_test: [{ eval_time: "5m", alertname: "SvcAuthorizerNodesApart", exp_alerts }],
    }));
    const file = join(folder, "test.yaml");
    writeFileSync(file, JSON.stringify({ rule_files: [join(ROOT, FILE)], evaluation_interval: "1m", tests }));
    const text = execFileSync("promtool", ["test", "rules", file], { encoding: "utf8" });
    expect(text).toContain("SUCCESS");
  });
});
