import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanUp, newFolder } from "../end-to-end/program.ts";
import { hasProgram } from "../journal/has-program.ts";
import { faultsOf, metricsOfProcess } from "./real-metrics.ts";
import { ROOT, textOf } from "./repository.ts";

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly {
    readonly refId: string;
    readonly expr: string;
    readonly legendFormat: string;
  }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const FOLDER = "deploy/grafana";
const dashboards = readdirSync(join(ROOT, FOLDER)).map((file): [string, Dashboard] => [
  file,
  JSON.parse(textOf(`${FOLDER}/${file}`)) as Dashboard,
]);
const chartsOf = ({ panels }: Dashboard) => panels.filter(({ type }) => type !== "row");
const expressions = dashboards.flatMap(([file, dashboard]) =>
  chartsOf(dashboard).flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }): [string, string] => [`${file}: ${title}`, expr]),
  ),
);

let metrics: ReadonlyMap<string, string>;
beforeAll(async () => {
  metrics = await metricsOfProcess();
});
afterAll(cleanUp);

describe("the dashboards", () => {
  it("are there", () => {
    expect(dashboards.map(([file]) => file).sort()).toEqual(["nodes.json", "service.json"]);
    expect(new Set(dashboards.map(([, { uid }]) => uid)).size).toBe(dashboards.length);
  });

  it.each(expressions)("%s asks a process for metrics and labels that it has: %s", (_, expression) => {
    expect(faultsOf(expression, metrics)).toEqual([]);
  });

  it.each(dashboards)(
    "%s says of each chart what it shows, lays none over another, and uses its variables",
    (_, dashboard) => {
      const charts = chartsOf(dashboard);
      expect(charts.length).toBeGreaterThan(5);
      for (const { description, title, targets } of charts) {
        expect(description, title).toMatch(/\.$/);
        expect(targets?.length, title).toBeGreaterThan(0);
      }
      expect(new Set(charts.map(({ title }) => title)).size).toBe(charts.length);
      expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
      for (const one of dashboard.panels) {
        for (const other of dashboard.panels) {
          if (one.id >= other.id) continue;
          const [a, b] = [one.gridPos, other.gridPos];
          const apart = a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;
          expect(apart, `${one.title} and ${other.title}`).toBe(true);
        }
      }
      expect(dashboard.templating.list.map(({ name }) => name)).toEqual(["datasource", "job", "instance"]);
      for (const { targets = [], title } of charts) {
        for (const { expr } of targets) expect(expr, title).toContain('job=~"$job",instance=~"$instance"');
      }
    },
  );

  it("fail the check where they name what no process has", () => {
    const fault = (expression: string) => faultsOf(expression, metrics);
    expect(fault("rate(svc_authorizer_decision_total[5m])")).toHaveLength(1);
    expect(fault('svc_authorizer_errors_total{kind="x"}')).toEqual([
      "svc_authorizer_errors_total has no label kind",
    ]);
    expect(fault("sum by (route) (svc_authorizer_cache_size)")).toHaveLength(1);
    expect(fault("svc_authorizer_cache_size_bucket")).toHaveLength(1);
    expect(fault("up")).toEqual(["it asks for no metric"]);
  });
});

describe.skipIf(!hasProgram("promtool"))("promtool", () => {
  it("accepts every expression of the dashboards", () => {
    const rules = expressions.map(([, expression], index) => ({
      record: `dashboard:${index}`,
      expr: expression
        .replaceAll("$__rate_interval", "5m")
        .replaceAll("$job", ".*")
        .replaceAll("$instance", ".*"),
    }));
    const file = join(newFolder(), "rules.yaml");
    writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboards", rules }] }));
    const text = execFileSync("promtool", ["check", "rules", file], { encoding: "utf8" });
    expect(text).toContain(`SUCCESS: ${rules.length} rules found`);
  });
});
