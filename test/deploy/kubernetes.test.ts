import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, secretsIn, textOf, yamlOf } from "./repository.ts";

const FOLDER = "deploy/kubernetes";
const FILES = readdirSync(join(ROOT, FOLDER));

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: unknown };
  }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly securityContext: Record<string, unknown>;
  readonly restartPolicy?: string;
  readonly lifecycle?: unknown;
}

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
  readonly securityContext: Record<string, unknown>;
  readonly terminationGracePeriodSeconds: number;
  readonly [key: string]: unknown;
}

/** The parts of a spec that are read here; each kind has some of them. */
interface Spec {
  readonly replicas: number;
  readonly serviceName: string;
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly template: {
    readonly metadata: { readonly labels: Readonly<Record<string, string>> };
    readonly spec: PodSpec;
  };
  readonly volumeClaimTemplates: readonly Manifest[];
  readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly policyTypes: readonly string[];
  readonly ingress: readonly {
    readonly from: unknown;
    readonly ports: readonly { readonly port: number }[];
  }[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: Spec;
}

const manifests = new Map(FILES.map((file) => [file, yamlOf(`${FOLDER}/${file}`) as Manifest[]]));
const all = [...manifests.values()].flat();

function one(file: string, kind: string): Manifest {
  const found = manifests.get(file)?.find((manifest) => manifest.kind === kind);
  if (found === undefined) throw new Error(`${file} has no ${kind}`);
  return found;
}

const workloads = [
  one("standalone.yaml", "StatefulSet"),
  one("sidecar.yaml", "Deployment"),
  one("replicated.yaml", "Deployment"),
];
const pods = workloads.map((workload): [string, PodSpec] => [
  `${workload.kind} ${workload.metadata.name}`,
  workload.spec.template.spec,
]);
const containersOf = (pod: PodSpec) => [...(pod.initContainers ?? []), ...pod.containers];

function authorizerOf(pod: PodSpec): Container {
  const found = containersOf(pod).find((container) => container.name === "authorizer");
  if (found === undefined) throw new Error("no container named authorizer");
  return found;
}

describe("the Kubernetes manifests", () => {
  it("are objects with version, kind and name, each of one name and kind once", () => {
    expect(FILES.sort()).toEqual([
      "network-policy.yaml",
      "replicated.yaml",
      "sidecar.yaml",
      "standalone.yaml",
    ]);
    for (const manifest of all) {
      expect(manifest.apiVersion).toMatch(/^(v1|apps\/v1|networking\.k8s\.io\/v1|policy\/v1)$/);
      expect(manifest.metadata.name).toMatch(/^[a-z][a-z0-9-]*$/);
    }
    const names = all.map((manifest) => `${manifest.kind} ${manifest.metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it("refer to secrets and contain none", () => {
    expect(all.map((manifest) => manifest.kind)).not.toContain("Secret");
    for (const file of FILES) {
      expect(secretsIn(textOf(`${FOLDER}/${file}`).replaceAll(/^#.*/gm, "")), file).toEqual([]);
    }
    for (const [, pod] of pods) {
      for (const container of containersOf(pod)) {
        const secrets = (container.env ?? []).filter((entry) => /SECRET|TOKEN/.test(entry.name));
        expect(secrets.map((entry) => entry.name)).toEqual([
          "SVC_AUTH_ENCRYPT_SECRET_KEY",
          "SVC_AUTH_API_TOKEN",
        ]);
        for (const entry of secrets) expect(entry.valueFrom?.secretKeyRef).toBeDefined();
      }
    }
  });

  it("select the pods that they make", () => {
    for (const { spec } of workloads)
      expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const labels = one("standalone.yaml", "StatefulSet").spec.template.metadata.labels;
    const ofNodes = one("replicated.yaml", "Deployment").spec.template.metadata.labels;
    for (const service of all.filter((manifest) => manifest.kind === "Service")) {
      const isOfNodes = service.metadata.name === "svc-authorizer-nodes";
      expect(isOfNodes ? ofNodes : labels).toMatchObject(service.spec.selector);
    }
    for (const kind of ["NetworkPolicy", "PodDisruptionBudget"]) {
      const { podSelector, selector } = one("replicated.yaml", kind).spec;
      expect(ofNodes).toMatchObject((podSelector ?? selector).matchLabels);
    }
    expect(labels).toMatchObject(one("network-policy.yaml", "NetworkPolicy").spec.podSelector.matchLabels);
  });

  it("keep one process for one embedded store, on a volume of its own", () => {
    const { spec } = one("standalone.yaml", "StatefulSet");
    expect(spec.replicas).toBe(1);
    expect(spec.volumeClaimTemplates.map((claim) => claim.metadata.name)).toEqual(["data"]);
    expect(
      all.some((manifest) => manifest.kind === "Service" && manifest.metadata.name === spec.serviceName),
    ).toBe(true);
  });

  it("keep three nodes apart, and two of them at any time", () => {
    const { spec } = one("replicated.yaml", "Deployment");
    expect(spec.replicas).toBe(3);
    expect(spec).toMatchObject({ strategy: { rollingUpdate: { maxUnavailable: 0 } } });
    expect(one("replicated.yaml", "PodDisruptionBudget").spec).toMatchObject({ maxUnavailable: 1 });
    const terms = JSON.stringify(spec.template.spec["affinity"]);
    expect(terms).toContain("podAntiAffinity");
    expect(terms).toContain("kubernetes.io/hostname");
  });

  it("let Prometheus reach the metrics of the nodes, with a token", () => {
    const [ports] = [one("replicated.yaml", "Service").spec as unknown as { ports: { name: string }[] }];
    expect(ports.ports.map(({ name }) => name)).toContain("metrics");
    const { ingress } = one("replicated.yaml", "NetworkPolicy").spec;
    expect(ingress.flatMap((rule) => rule.ports.map(({ port }) => port))).toContain(8002);
    const config = one("replicated.yaml", "ConfigMap").data?.["config.yaml"] ?? "";
    expect(config).toContain("metrics_address: 0.0.0.0:8002");
    expect(config).toContain("scopes: [metrics]");
  });

  it("let only marked pods reach the service listener", () => {
    const { spec } = one("network-policy.yaml", "NetworkPolicy");
    expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
    const service = spec.ingress.filter((rule) => rule.ports.some((port) => port.port === 8001));
    expect(service).toHaveLength(1);
    expect(service[0]?.from).toEqual([{ podSelector: { matchLabels: { "svc-authorizer-client": "true" } } }]);
  });

  it("start the sidecar before the data server and stop it after", () => {
    const [, sidecar] = pods[1] as [string, PodSpec];
    expect(sidecar.initContainers?.map((container) => [container.name, container.restartPolicy])).toEqual([
      ["authorizer", "Always"],
    ]);
    const endpoint = sidecar.containers[0]?.env?.find((entry) => entry.name === "SVC_AUTH_API_ENDPOINT");
    expect(endpoint?.value).toBe("http://127.0.0.1:8001/api/v1");
  });
});

describe.each(pods)("the pod of the %s", (_kind, pod) => {
  it("is probed for life and readiness on a port that it names", () => {
    const { startupProbe, readinessProbe, livenessProbe, ports, lifecycle } = authorizerOf(pod);
    expect(startupProbe.httpGet.path).toBe("/readyz");
    expect(readinessProbe.httpGet.path).toBe("/readyz");
    expect(livenessProbe.httpGet.path).toBe("/healthz");
    const names = ports?.map((port) => port.name);
    for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
      expect(names).toContain(probe.httpGet.port);
      expect(probe.timeoutSeconds).toBe(3);
    }
    // One late answer takes nobody out of service.
    expect(readinessProbe.failureThreshold).toBe(2);
    expect(lifecycle).toBeUndefined();
  });

  it("has time to finish what is in flight", () => {
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20);
  });

  it("runs locked down", () => {
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(pod["automountServiceAccountToken"]).toBe(false);
    expect(pod["enableServiceLinks"]).toBe(false);
    for (const { securityContext, image } of containersOf(pod)) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      expect(image).toMatch(/:\d+\.\d+\.\d+$/);
    }
  });

  it("mounts only volumes that it has", () => {
    const volumes = [...(pod.volumes ?? []), { name: "data" }].map((volume) => volume.name);
    for (const { volumeMounts } of containersOf(pod)) {
      for (const mount of volumeMounts ?? []) expect(volumes).toContain(mount.name);
    }
  });
});
