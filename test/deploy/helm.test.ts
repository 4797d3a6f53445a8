import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Ajv } from "ajv";
import { afterAll, describe, expect, it } from "vitest";
import { parse, parseDocument } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { cleanUp, newFolder } from "../end-to-end/program.ts";
import { hasProgram } from "../journal/has-program.ts";
import { CHART, KUBERNETES, type Manifest, manifestsOf, refusal, rendered } from "./helm.ts";
import { secretsIn, textOf, yamlOf } from "./repository.ts";

const CASES = readdirSync(join(CHART, "ci")).map((file) => file.replace(".yaml", ""));
const valuesOf = (name: string) => ["-f", join(CHART, "ci", `${name}.yaml`)];
const textIn = (file: string) => readFileSync(join(CHART, file), "utf8");

afterAll(cleanUp);

interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Keys of the schema with their descriptions; of free objects, only the object. */
function described(schema: Schema, values: unknown, path: readonly string[] = []): [string, string][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, inner]): [string, string][] => {
    const value = (values as Record<string, unknown> | undefined)?.[key];
    const here = [...path, key];
    const own: [string, string] = [here.join("."), inner.description ?? ""];
    // The resources of a container are Kubernetes' own.
    return key === "resources" ? [own] : [own, ...described(inner, value, here)];
  });
}

/** Keys of values.yaml with the comments before them. */
function commented(text: string): [string, string][] {
  const found: [string, string][] = [];
  let path: string[] = [];
  let comment: string[] = [];
  for (const line of text.split("\n")) {
    const [, remark] = /^ *# (.*)$/.exec(line) ?? [];
    const [, indent = "", key] = /^( *)([A-Za-z]+):/.exec(line) ?? [];
    if (remark !== undefined) comment.push(remark);
    else if (key !== undefined) {
      path = [...path.slice(0, indent.length / 2), key];
      if (!/^(requests|limits)$/.test(key)) found.push([path.join("."), comment.join(" ")]);
      comment = [];
    } else comment = [];
  }
  return found;
}

describe("the values of the chart", () => {
  const schema = JSON.parse(textIn("values.schema.json")) as Schema;

  it("are what their schema takes, as are those of the cases", () => {
    const check = new Ajv({ strict: false, allErrors: true }).compile(schema);
    for (const file of ["values.yaml", ...CASES.map((name) => `ci/${name}.yaml`)]) {
      check(parse(textIn(file)));
      expect(check.errors, file).toBeNull();
    }
  });

  it("have a comment each, which is also the description in the schema", () => {
    const comments = commented(textIn("values.yaml"));
    expect(comments.length).toBeGreaterThan(50);
    expect(comments).toEqual(described(schema, parseDocument(textIn("values.yaml")).toJS()));
    for (const [key, text] of comments) expect(text, key).toMatch(/\S.*\.$/);
  });

  it("say the version that the package has", () => {
    const { version } = JSON.parse(readFileSync(join(CHART, "../../../package.json"), "utf8")) as {
      version: string;
    };
    expect(parse(textIn("Chart.yaml"))).toMatchObject({ version, appVersion: version });
  });
});

const of = (manifests: readonly Manifest[], kind: string): Manifest =>
  manifests.find(
    (manifest) => manifest.kind === kind && !manifest.metadata.name.endsWith("-dashboards"),
  ) as Manifest;
const podOf = (manifests: readonly Manifest[]) =>
  (of(manifests, "StatefulSet") ?? of(manifests, "Deployment")).spec.template.spec;
const authorizerOf = (manifests: readonly Manifest[]) => {
  const { containers, initContainers = [] } = podOf(manifests);
  return [...containers, ...initContainers].find(({ name }: { name: string }) => name === "authorizer");
};
const portsIn = (rules: readonly { ports?: readonly { port: number }[] }[] = []) =>
  rules.flatMap(({ ports = [] }) => ports.map(({ port }) => port));

describe.skipIf(!hasProgram("helm"))("helm", () => {
  it.each(CASES)("finds no fault in the chart with the values of %s", (name) => {
    const lint = ["lint", "--strict", CHART, `--kube-version=${KUBERNETES}`, ...valuesOf(name)];
    expect(execFileSync("helm", lint, { encoding: "utf8" })).toContain("0 chart(s) failed");
  });

  it.each(CASES)("renders with the values of %s what the service reads, and no secret", (name) => {
    const text = rendered(...valuesOf(name));
    const manifests = manifestsOf(text);
    expect(manifests.map(({ kind }) => kind)).not.toContain("Secret");
    const own = text.replaceAll(/checksum\/config: \w+|\b(svc_authorizer|nodejs|process)_\w+|^ *#.*/gm, "");
    expect(secretsIn(own)).toEqual([]);
    const { values, warnings } = configOf(manifests);
    expect(values["authorizer.shutdown_delay"]).toBe(5000);
    expect(warnings.filter(({ item }) => item !== "authorizer.user_listen_address")).toEqual([]);
    expect(podOf(manifests).terminationGracePeriodSeconds).toBeGreaterThan(15);
  });

  it.each(CASES)(
    "renders with the values of %s pods that are locked down, probed, and mount what they have",
    (name) => {
      const manifests = manifestsOf(rendered(...valuesOf(name)));
      const pod = podOf(manifests);
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: "RuntimeDefault" },
      });
      const claims = of(manifests, "StatefulSet")?.spec.volumeClaimTemplates ?? [];
      const volumes = [...pod.volumes, ...claims.map(({ metadata }: Manifest) => metadata)];
      for (const container of [...pod.containers, ...(pod.initContainers ?? [])]) {
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        for (const mount of container.volumeMounts) {
          expect(volumes.map((volume: { name: string }) => volume.name)).toContain(mount.name);
        }
      }
      const { ports, startupProbe, readinessProbe, livenessProbe } = authorizerOf(manifests);
      const names = ports.map((port: { name: string }) => port.name);
      for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
        expect(names).toContain(probe.httpGet.port);
        expect(probe.httpGet.scheme).toBe(configOf(manifests).values["tls.enabled"] ? "HTTPS" : undefined);
      }
    },
  );

  it.each(CASES)(
    "renders with the values of %s objects that select the pods and name their ports",
    (name) => {
      const manifests = manifestsOf(rendered(...valuesOf(name)));
      const { template } = (of(manifests, "StatefulSet") ?? of(manifests, "Deployment")).spec;
      const known = [...template.spec.containers, ...(template.spec.initContainers ?? [])].flatMap(
        ({ ports = [] }: { ports?: { name: string }[] }) => ports.map((port) => port.name),
      );
      for (const { kind, spec } of manifests) {
        const selector = { Service: spec?.selector, NetworkPolicy: spec?.podSelector?.matchLabels }[kind];
        if (selector !== undefined) expect(template.metadata.labels).toMatchObject(selector);
        if (kind === "Service") for (const { targetPort } of spec.ports) expect(known).toContain(targetPort);
      }
    },
  );

  it("keeps a standalone node alone, on a volume, with a way out for names and mails", () => {
    const manifests = manifestsOf(rendered(...valuesOf("standalone")));
    expect(of(manifests, "StatefulSet").spec).toMatchObject({ replicas: 1, serviceName: "rel-pods" });
    expect(of(manifests, "PodDisruptionBudget")).toBeUndefined();
    const { egress, ingress, policyTypes } = of(manifests, "NetworkPolicy").spec;
    expect(policyTypes).toEqual(["Ingress", "Egress"]);
    expect(portsIn(egress)).toEqual([53, 53, 587]);
    expect(portsIn(ingress)).toEqual([8001, 8000]);
    expect(configOf(manifests).values).toMatchObject({
      "database.type": "local",
      "authorizer.audit.decisions": "all",
      "authorizer.audit.output": "-",
      "authorizer.tls.enabled": true,
    });
  });

  it("keeps nodes available: several, apart, one at a time, with metrics, traces and Envoy", () => {
    const manifests = manifestsOf(rendered(...valuesOf("replicated")));
    const { spec } = of(manifests, "Deployment");
    expect(spec).toMatchObject({ replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    expect(JSON.stringify(spec.template.spec.affinity)).toContain("kubernetes.io/hostname");
    expect(of(manifests, "PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1 });
    const { egress, ingress } = of(manifests, "NetworkPolicy").spec;
    expect(portsIn(egress)).toEqual([53, 53, 5432, 4318]);
    expect(portsIn(ingress)).toEqual([8001, 8003, 8000, 8002]);
    expect(of(manifests, "ServiceMonitor")).toMatchObject({
      metadata: { labels: { release: "prometheus" } },
      spec: { endpoints: [{ port: "metrics", authorization: { credentials: { key: "token" } } }] },
    });
    expect(configOf(manifests).values["authorizer.tokens"].map(({ name }) => name)).toEqual([
      "prometheus",
      "envoy",
    ]);
    const names = authorizerOf(manifests).env.map(({ name }: { name: string }) => name);
    expect(names).toContain("SVC_DATABASE_POSTGRES_CONNECTION_STRING");
    expect(names).toContain("OTEL_TRACES_SAMPLER_ARG");
  });

  it("brings the alert rules and the dashboards of this repository", () => {
    const manifests = manifestsOf(rendered(...valuesOf("replicated")));
    const [rules] = yamlOf("deploy/prometheus/rules.yaml");
    expect(of(manifests, "PrometheusRule").spec).toEqual(rules);
    const { data = {}, metadata } = manifests.find(
      ({ metadata: { name } }) => name === "authz-dashboards",
    ) as Manifest;
    expect(metadata.labels["grafana_dashboard"]).toBe("1");
    for (const name of ["service", "nodes"]) {
      expect(JSON.parse(data[`svc-authorizer-${name}.json`] ?? "")).toEqual(
        JSON.parse(textOf(`deploy/grafana/${name}.json`)),
      );
    }
  });

  it("lets nodes over DynamoDB reach it with the role of their account", () => {
    const manifests = manifestsOf(rendered(...valuesOf("dynamodb")));
    expect(portsIn(of(manifests, "NetworkPolicy").spec.egress)).toEqual([53, 53, 443, 8443]);
    expect(JSON.stringify(of(manifests, "ServiceAccount").metadata)).toContain("role-arn");
    expect(configOf(manifests).values).toMatchObject({ "authorizer.insecure_listen": true });
  });

  it("lets the keys of identity providers be fetched", () => {
    const issuers = [
      { name: "corp", issuer: "https://id.example.com", audience: "authorizer" },
      {
        name: "own",
        issuer: "https://id.example.org:8443/realms/own",
        audience: "authorizer",
        jwks_uri: "https://keys.example.org/own",
      },
    ];
    const set = `--set-json=config.authorizer=${JSON.stringify({ oidc: { issuers } })}`;
    const manifests = manifestsOf(rendered(...valuesOf("replicated"), set));
    expect(portsIn(of(manifests, "NetworkPolicy").spec.egress)).toEqual([53, 53, 5432, 443, 8443, 443, 4318]);
    expect(configOf(manifests).values["authorizer.oidc.issuers"].map(({ name }) => name)).toEqual([
      "corp",
      "own",
    ]);
  });

  it("lets records be sent to sinks", () => {
    const authorizer = {
      decision_log: {
        directory: "/data/log",
        sinks: ["https://logs.example", "otlp+https://otel.example:4318/v1/logs"],
      },
      audit: { directory: "/data/audit", sinks: ["https://audit.example:8443/in"] },
    };
    const set = `--set-json=config.authorizer=${JSON.stringify(authorizer)}`;
    const manifests = manifestsOf(rendered(...valuesOf("standalone"), set));
    expect(portsIn(of(manifests, "NetworkPolicy").spec.egress)).toEqual([53, 53, 587, 443, 4318, 8443]);
    expect(configOf(manifests).values).toMatchObject({ "authorizer.audit.sinks": authorizer.audit.sinks });
  });

  it("starts a sidecar before the data server, on the loopback of the pod, with its data sets", () => {
    const manifests = manifestsOf(rendered(...valuesOf("sidecar")));
    const { initContainers, containers } = podOf(manifests);
    expect(initContainers).toMatchObject([{ name: "authorizer", restartPolicy: "Always" }]);
    expect(containers[0].env[0]).toEqual({
      name: "SVC_AUTH_API_ENDPOINT",
      value: "http://127.0.0.1:8001/api/v1",
    });
    expect(configOf(manifests).values).toMatchObject({
      "authorizer.listen_address": "127.0.0.1:8001",
      "authorizer.datasets_mode": "sync",
      "database.type": "mem",
    });
    expect(parse(of(manifests, "ConfigMap").data?.["dataset-readers.yaml"] ?? "")).toMatchObject({
      format: 1,
    });
  });

  it("takes the values of docs/kubernetes.md", () => {
    const page = readFileSync(join(CHART, "../../../docs/kubernetes.md"), "utf8");
    const blocks = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, block = ""]) => block);
    expect(blocks).toHaveLength(2);
    for (const block of blocks) {
      const file = join(newFolder(), "values.yaml");
      writeFileSync(file, block);
      expect(configOf(manifestsOf(rendered("-f", file))).warnings.map(({ item }) => item)).toEqual([]);
    }
  });

  it.each([
    [["--set", "mode=other"], "/mode"],
    [["--set", "unknown=1"], "additional properties 'unknown'"],
    [["--set", "image.repositry=x"], "additional properties 'repositry'"],
    [["--set", "mode=replicated", "--set", "database.type=local"], "/database/type"],
    [["--set", "database.type=postgres"], "/database/type"],
    [["--set", "replicas=0"], "/replicas"],
    [["--set", "tracing.ratio=2"], "/tracing/ratio"],
    [["--set", "metrics.serviceMonitor.enabled=true"], "needs metrics.enabled"],
    [["--set", "secret.name=Not_A_Name"], "/secret/name"],
  ])("refuses %j", (values, message) => {
    expect(refusal(...values)).toContain(message);
  });
});

/** The configuration as the service reads it, with the files that it names. */
function configOf(manifests: readonly Manifest[]) {
  const folder = newFolder();
  const text = (of(manifests, "ConfigMap").data?.["config.yaml"] ?? "").replaceAll("/etc/svc/", `${folder}/`);
  for (const [, file = ""] of text.matchAll(/token_file: (\S+)/g)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${"m".repeat(64)}\n`, { mode: 0o600 });
  }
  const configFile = join(folder, "config.yaml");
  writeFileSync(configFile, text);
  const env = {
    SVC_AUTH_ENCRYPT_SECRET_KEY: "k".repeat(64),
    SVC_AUTH_API_TOKEN: "t".repeat(64),
    SVC_DATABASE_POSTGRES_CONNECTION_STRING:
      "postgres://authorizer@db.example.com/authorizer?sslmode=verify-full",
  };
  return loadConfig({ env, configFile, home: folder });
}

/** Kinds that an operator brings, whose schemas Kubernetes does not have. */
const FOREIGN = new Set(["ServiceMonitor", "PrometheusRule"]);

describe.skipIf(!hasProgram("kubernetes-validate"))("kubernetes-validate", () => {
  const validate = (...files: readonly string[]) =>
    execFileSync("kubernetes-validate", ["--strict", "-k", KUBERNETES, ...files], { encoding: "utf8" });

  it("takes every manifest of deploy/kubernetes", () => {
    const folder = join(CHART, "../../kubernetes");
    const files = readdirSync(folder).map((file) => join(folder, file));
    expect(() => validate(...files)).not.toThrow();
  });

  it("refuses a field that Kubernetes does not have", () => {
    const file = join(newFolder(), "faulty.yaml");
    writeFileSync(
      file,
      JSON.stringify({ apiVersion: "v1", kind: "Service", metadata: { name: "a" }, spec: { prots: [] } }),
    );
    expect(() => validate(file)).toThrow();
  });

  it.skipIf(!hasProgram("helm")).each(CASES)("takes what the chart renders with the values of %s", (name) => {
    const documents = manifestsOf(rendered(...valuesOf(name))).filter(({ kind }) => !FOREIGN.has(kind));
    const file = join(newFolder(), "rendered.yaml");
    writeFileSync(file, documents.map((document) => JSON.stringify(document)).join("\n---\n"));
    expect(validate(file).match(/passed/g)?.length).toBe(documents.length);
  });
});
