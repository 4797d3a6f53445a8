import { readFileSync } from "node:fs";
import type { Effect } from "@svc-authorizer/policy/model/decision.ts";
import { Registry } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";
import { newCounters } from "../../src/decision-log/counters.ts";
import type { DecisionCounters } from "../../src/decisions/decisions.ts";
import { ENTRANCES, type Entrance } from "../../src/decisions/entrances.ts";
import { createJournalCounters } from "../../src/journal/counters.ts";
import { createMailCounters } from "../../src/mail/ports.ts";
import { MirrorCounters } from "../../src/mirroring/counters.ts";
import { reportOf } from "../../src/mirroring/mirror-report.ts";
import { CallFailed } from "../../src/mirroring/ports.ts";
import { createHttpCounters } from "../../src/observe/metrics/create-http-counters.ts";
import { createEngineTimes } from "../../src/observe/metrics/engine-metrics.ts";
import { createMetrics, type MetricSources, type Metrics } from "../../src/observe/metrics/metrics.ts";
import { createStoreCounters } from "../../src/observe/metrics/store-metrics.ts";
import { runModule } from "./child.ts";

const none = (): Record<Effect, number> => ({ allow: 0, neutral: 0, deny: 0 });

function decisionCounters(): DecisionCounters & { decisions: Record<Entrance, Record<Effect, number>> } {
  return {
    decisions: Object.fromEntries(ENTRANCES.map((entrance) => [entrance, none()])) as Record<
      Entrance,
      Record<Effect, number>
    >,
    cacheHits: 0,
    cacheMisses: 0,
    cacheEvictions: 0,
    portableRewritings: 0,
    cacheSize: () => 7,
    compiledSets: () => 3,
  };
}

function newSources() {
  return {
    build: { version: "1.2.3", policiesVersion: 'p"1\n' },
    decisions: decisionCounters(),
    identities: { cacheHits: 0, cacheMisses: 0, failures: 0, throttled: 0 },
    http: createHttpCounters(),
    store: createStoreCounters(),
    audit: { droppedDecisions: 0, droppedEvents: 0 },
    log: { droppedLines: 0 },
    datasets: { lastLoadSuccess: undefined as boolean | undefined },
    mail: createMailCounters(),
    mirrors: new MirrorCounters(["west"]),
    decisionLog: { counters: newCounters(), sinks: [{ lagSeconds: 3, failures: 6, rejected: 1 }] },
    auditTrail: {
      counters: { ...newCounters(), lost: 4 },
      sinks: [
        { lagSeconds: 5, failures: 1, rejected: 0 },
        { lagSeconds: 8, failures: 2, rejected: 3 },
      ],
    },
    shadow: {
      decisions: 9,
      dropped: 2,
      failed: 1,
      differences: { allow: 3, neutral: 1, deny: 0 },
      loaded: true,
    },
    changes: {
      log: () => "abcdefgh",
      revision: () => 7,
      journal: { counters: { ...createJournalCounters(), lagMs: 30 }, staleness: () => 250 },
      engineTimes: createEngineTimes(),
    },
    openSnapshots: { long: () => 1 },
  } satisfies MetricSources;
}

const opened: Metrics[] = [];
afterEach(() => {
  for (const metrics of opened.splice(0)) metrics.close();
});

function open(sources: MetricSources): Metrics {
  const metrics = createMetrics(sources);
  opened.push(metrics);
  return metrics;
}

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\[\\"n])*)"/y;
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?[\d.]+(?:e[+-]?\d+)?|[+-]Inf|Nan)$/;

/** Reads the Prometheus text format strictly: series by `name{labels}`; throws on any line that is not one. */
function parse(text: string): Map<string, number> {
  const series = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (line === "" || /^# (HELP [a-z0-9_]+ .+|TYPE [a-z0-9_]+ (counter|gauge|histogram))$/.test(line))
      continue;
    const match = LINE.exec(line);
    if (match === null) throw new Error(`no series: ${line}`);
    const key = `${match[1]}{${readLabels(match[2] ?? "")}}`;
    if (series.has(key)) throw new Error(`twice: ${key}`);
    series.set(key, Number(match[3]?.replace("Inf", "Infinity")));
  }
  return series;
}

function readLabels(text: string): string {
  const labels: string[] = [];
  for (let at = 0; at < text.length; ) {
    LABEL.lastIndex = at;
    const match = LABEL.exec(text);
    if (match === null) throw new Error(`no label at ${at}: ${text}`);
    labels.push(match[0]);
    at = LABEL.lastIndex + 1;
  }
  return labels.join(",");
}

describe("a scrape", () => {
  it("has the content type of the library's text format", () => {
    expect(open(newSources()).contentType).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
  });

  it("shows the numbers of its sources as they are at that moment", async () => {
    const sources = newSources();
    const metrics = open(sources);
    await metrics.text();
    sources.decisions.decisions.check.deny = 5;
    sources.decisions.cacheHits = 11;
    sources.http.route("POST", "/access/v1/check").answered(200, 0.002);
    sources.http.route("POST", "/access/v1/check").answered(404, 0.004);
    sources.http.route("*", "unmatched").answered(42, 0.001);
    sources.http.decisionSeconds.check.observe(0.000_02);
    sources.http.errors.invalid_request = 2;
    sources.http.inFlight = 4;
    sources.http.queueLength = 6;
    sources.store.commit.results.conflict = 1;
    sources.audit.droppedDecisions = 8;
    sources.log.droppedLines = 9;
    sources.datasets.lastLoadSuccess = false;
    sources.mail.queued = 2;
    sources.mail.sent = 12;
    Object.assign(sources.identities, { cacheHits: 21, cacheMisses: 22, failures: 23, throttled: 24 });
    const series = parse(await metrics.text());
    expect(Object.fromEntries(series)).toMatchObject({
      'svc_authorizer_decisions_total{effect="deny",entrance="check"}': 5,
      "svc_authorizer_cache_hits_total{}": 11,
      "svc_authorizer_cache_size{}": 7,
      "svc_authorizer_compiled_sets{}": 3,
      'svc_authorizer_http_requests_total{route="/access/v1/check",method="POST",status="2xx"}': 1,
      'svc_authorizer_http_requests_total{route="/access/v1/check",method="POST",status="4xx"}': 1,
      'svc_authorizer_http_requests_total{route="unmatched",method="*",status="other"}': 1,
      'svc_authorizer_http_request_duration_seconds_bucket{le="0.0025",route="/access/v1/check",method="POST"}': 1,
      'svc_authorizer_http_request_duration_seconds_sum{route="/access/v1/check",method="POST"}': 0.006,
      'svc_authorizer_http_request_duration_seconds_count{route="/access/v1/check",method="POST"}': 2,
      'svc_authorizer_decision_duration_seconds_bucket{le="0.000025",entrance="check"}': 1,
      'svc_authorizer_decision_duration_seconds_bucket{le="+Inf",entrance="filter"}': 0,
      'svc_authorizer_errors_total{code="invalid_request"}': 2,
      "svc_authorizer_in_flight_requests{}": 4,
      "svc_authorizer_queue_length{}": 6,
      'svc_authorizer_store_operations_total{operation="commit",result="conflict"}': 1,
      'svc_authorizer_audit_dropped_total{kind="decision"}': 8,
      'svc_authorizer_audit_dropped_total{kind="event"}': 0,
      "svc_authorizer_log_dropped_total{}": 9,
      "svc_authorizer_mail_queue_length{}": 2,
      'svc_authorizer_mails_total{result="sent"}': 12,
      "svc_authorizer_identity_cache_hits_total{}": 21,
      "svc_authorizer_identity_cache_misses_total{}": 22,
      "svc_authorizer_authentication_failures_total{}": 23,
      "svc_authorizer_authentication_throttled_total{}": 24,
      "svc_authorizer_datasets_last_load_success{}": 0,
      [`svc_authorizer_build_info{version="1.2.3",policies_version="p\\"1\\n",node="${process.version}"}`]: 1,
    });
  });

  it("shows mirrors by region: how far they are behind, by the clock and not by the newest pass", async () => {
    const sources = newSources();
    const metrics = open(sources);
    const now = Date.now();
    const branches = {
      main: { next: 2, heads: [{ index: 1, commit: "b", at: now - 90_000 }] },
      dev: { next: 1, heads: [] },
    };
    const state = { term: 1, branches, gone: [], verified: {}, external: 0, goneAtSource: 0, pieces: 0 };
    const findings = {
      phase: "syncing",
      reason: "",
      defaultBranch: "main",
      recorded: 5,
      pending: 2,
    } as const;
    const report = reportOf({ ...state, findings: { ...findings, missing: 7, blocking: 0 } }, now, {
      recorded: 5,
      looks: 6,
      promotions: 1,
    });
    sources.mirrors.noteReport("west", "sales-west", report);
    const failure = new CallFailed("no answer", undefined, true);
    sources.mirrors.noteError("west", "sales-west", failure, report);
    const series = parse(await metrics.text());
    expect(series.get('svc_authorizer_mirror_lag_seconds{region="west"}')).toBeGreaterThanOrEqual(89);
    expect(Object.fromEntries(series)).toMatchObject({
      'svc_authorizer_mirror_states{region="west",state="syncing"}': 1,
      'svc_authorizer_mirror_states{region="west",state="active"}': 0,
      'svc_authorizer_mirror_objects_missing{region="west"}': 7,
      'svc_authorizer_mirror_commits_pending{region="west"}': 2,
      'svc_authorizer_mirror_passes_total{region="west"}': 1,
      'svc_authorizer_mirror_commits_recorded_total{region="west"}': 5,
      'svc_authorizer_mirror_objects_checked_total{region="west"}': 6,
      'svc_authorizer_mirror_promotions_total{region="west"}': 1,
      'svc_authorizer_mirror_errors_total{region="west",kind="data_server"}': 1,
      'svc_authorizer_mirror_errors_total{region="west",kind="internal"}': 0,
    });
    // A server that does not answer is time behind, too.
    const trouble = { message: "no answer", since: now - 300_000 };
    const failed = reportOf({ ...state, findings: { ...findings, missing: 7, blocking: 0, trouble } }, now);
    sources.mirrors.noteError("west", "sales-west", failure, failed);
    const later = parse(await metrics.text());
    expect(later.get('svc_authorizer_mirror_lag_seconds{region="west"}')).toBeGreaterThanOrEqual(299);
    expect(later.get('svc_authorizer_mirror_states{region="west",state="degraded"}')).toBe(1);
    expect(later.get('svc_authorizer_mirror_states{region="west",state="syncing"}')).toBe(0);
    // A mirror of a region that is not configured any more.
    sources.mirrors.noteState("gone", "sales-gone", { ...report, phase: "failed" });
    expect(
      parse(await metrics.text()).get('svc_authorizer_mirror_states{region="gone",state="failed"}'),
    ).toBe(1);
    sources.mirrors.forget("west", "sales-west");
    expect(parse(await metrics.text()).get('svc_authorizer_mirror_lag_seconds{region="west"}')).toBe(0);
  });

  it("shows the process", async () => {
    const metrics = open(newSources());
    (globalThis as { gc?: () => void }).gc?.();
    const series = parse(await metrics.text());
    for (const name of [
      "process_resident_memory_bytes",
      "process_cpu_seconds_total",
      "nodejs_heap_size_used_bytes",
    ]) {
      expect(series.get(`${name}{}`)).toBeGreaterThan(0);
    }
    const lag = async () => parse(await metrics.text()).get("nodejs_eventloop_lag_mean_seconds{}") ?? 0;
    await expect.poll(lag, { interval: 100 }).toBeGreaterThan(0.01);
    expect(series.get("process_start_time_seconds{}")).toBeCloseTo(Date.now() / 1_000 - process.uptime(), -1);
  });

  it("of one service does not show another one in the same process", async () => {
    const [one, other] = [newSources(), newSources()];
    const metrics = [open(one), open(other)];
    one.decisions.cacheMisses = 5;
    const texts = await Promise.all(metrics.map((all) => all.text()));
    expect(texts.map((text) => parse(text).get("svc_authorizer_cache_misses_total{}"))).toEqual([5, 0]);
  });
});

describe("names", () => {
  it("of the service begin with its prefix, and labels come from closed sets", () => {
    const allowed = [
      "effect",
      "entrance",
      "route",
      "method",
      "status",
      "code",
      "operation",
      "result",
      "kind",
      "member",
      "log",
      "region",
      "state",
    ];
    const { descriptions } = open(newSources());
    for (const { name, labels } of descriptions) {
      expect(name).toMatch(/^(svc_authorizer|process|nodejs)_[a-z0-9_]+$/);
      if (name === "svc_authorizer_build_info" || !name.startsWith("svc_")) continue;
      expect(allowed).toEqual(expect.arrayContaining([...labels]));
    }
  });

  it("series have exactly the labels that are described", async () => {
    const sources = newSources();
    sources.http.route("GET", "/r").answered(200, 1);
    const metrics = open(sources);
    const text = await metrics.text();
    for (const { name, labels, type } of metrics.descriptions) {
      const suffixes = type === "histogram" ? "_(?:bucket|sum|count)" : "";
      for (const [, found] of text.matchAll(new RegExp(`^${name}${suffixes}(?:\\{(.*)\\})? `, "gm"))) {
        const names = [...(found ?? "").matchAll(/(\w+)="/g)].map((match) => match[1]);
        expect(names.filter((label) => label !== "le")).toEqual(labels);
      }
    }
  });

  it("docs/metrics.md lists every metric with its type, labels and meaning", () => {
    const document = readFileSync(new URL("../../docs/metrics.md", import.meta.url), "utf8");
    const rows = open(newSources()).descriptions.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${[type, ...(labels.length > 0 ? [labels.map((label) => `\`${label}\``).join(", ")] : [])].join(": ")} | ${help} |`,
    );
    const documented = document
      .split("\n")
      .filter((line) => /^\| `[a-z0-9_]+` \| (counter|gauge|histogram)\b/.test(line));
    expect(documented).toEqual(rows);
  });
});

describe("routes", () => {
  it("beyond a bound share one meter", () => {
    const http = createHttpCounters();
    for (let index = 0; index < 3_000; index++) http.route("GET", `/${index}`).answered(200, 0);
    expect([...http.routes()].length).toBe(1_000);
    expect(http.route("GET", "/5")).toBe(http.route("GET", "/5"));
    expect(http.route("GET", "/2999")).toBe(http.route("*", "unmatched"));
  });
});

describe("after the close", () => {
  it("nothing observes the process and it can end", () => {
    const { status, stdout, stderr } = runModule(
      `import { createHttpCounters } from "OBSERVEmetrics/create-http-counters.ts";
       import { createMetrics } from "OBSERVEmetrics/metrics.ts";
       import { openEventLoopMetrics } from "OBSERVEmetrics/event-loop-metrics.ts";
       import { createStoreCounters } from "OBSERVEmetrics/store-metrics.ts";
       const sources = { build: { version: "1", policiesVersion: "1" }, decisions: { decisions: {}, cacheSize: () => 0, compiledSets: () => 0 },
         http: createHttpCounters(), store: createStoreCounters(), audit: {}, log: {}, datasets: {}, mail: {}, identities: {}, changes: { revision: () => 0, log: () => "" }, openSnapshots: { long: () => 0 } };
       const all = Array.from({ length: 20 }, () => createMetrics(sources));
       for (const metrics of all) { await metrics.text(); metrics.close(); }
       const loop = openEventLoopMetrics();
       const count = () => [...loop.metrics.at(-1).read()].reduce((sum, [, one]) => sum + one.count, 0);
       const wait = () => new Promise((resolve) => setTimeout(resolve, 50));
       gc(); for (let tries = 0; tries < 100 && count() === 0; tries++) await wait();
       const observed = count();
       const delays = () => loop.metrics.filter((m) => m.name.includes("lag")).flatMap((m) => [...m.read()]).length;
       const measured = delays();
       loop.close();
       gc(); gc(); await wait();
       console.log(JSON.stringify({ observed: observed > 0, after: count() - observed, measured, measuredAfter: delays(), text: await all[0].text() }));`,
    );
    expect(stderr).toBe("");
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      observed: true,
      after: 0,
      measured: 7,
      measuredAfter: 0,
      text: "\n",
    });
  });
});
