/**
 * The sidecar example without a cluster: its manifest against the schemas of Kubernetes, and the containers of its pod
 * as processes with the commands, files, variables, ports and probes that the manifest gives them.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { KUBERNETES } from "../deploy/helm.ts";
import { secretsIn } from "../deploy/repository.ts";
import { freePort } from "../free-port.ts";
import { hasProgram } from "../journal/has-program.ts";
import { EXAMPLES, kill, ROOT, Scratch, statusOf } from "./kit.ts";

const MANIFEST = join(EXAMPLES, "kubernetes", "shop.yaml");
const TEXT = readFileSync(MANIFEST, "utf8");

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } };
  }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe?: Probe;
}

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds
  readonly spec?: any;
}

const manifestsOf = (text: string): readonly Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

const scratch = new Scratch();
afterAll(() => scratch.close());

/** The manifest with ports that are free here, and with files where the pod mounts them. */
async function onThisMachine(files: string): Promise<readonly Manifest[]> {
  let text = TEXT.replaceAll("/etc/svc", files).replaceAll("0.0.0.0", "127.0.0.1");
  for (const port of ["8001", "8010", "3000"]) {
    text = text.replaceAll(new RegExp(`\\b${port}\\b`, "g"), String(await freePort()));
  }
  return manifestsOf(text.replaceAll("shutdown_delay: 5s", "shutdown_delay: 0s"));
}

/** The values of the secret that the README makes. */
const SECRETS: Readonly<Record<string, string>> = {
  "encrypt-secret-key": "key-of-the-sidecar-example-0123456789abcdef",
  "api-token": "token-of-the-sidecar-example-0123456789abcdef",
};

const variablesOf = ({ env }: Container): Record<string, string> =>
  Object.fromEntries(
    env.map(({ name, value, valueFrom }) => [
      name,
      value ?? SECRETS[valueFrom?.secretKeyRef.key ?? ""] ?? "",
    ]),
  );

/** The address that a probe asks. */
const probed = ({ ports }: Container, { httpGet: { path, port } }: Probe): string => {
  const found = ports.find(({ name }) => name === port)?.containerPort;
  return `http://127.0.0.1:${found}${path}`;
};

describe("the example of a sidecar", () => {
  it("holds no secret, and names the README's and no other", () => {
    expect(secretsIn(TEXT)).toEqual([]);
    const readme = readFileSync(join(EXAMPLES, "kubernetes", "README.md"), "utf8");
    for (const [, name, key] of TEXT.matchAll(/secretKeyRef: \{name: ([\w-]+), key: ([\w-]+)\}/g)) {
      expect(readme).toContain(`secret generic ${name}`);
      expect(readme).toContain(`--from-literal=${key}=`);
    }
    for (const [, image = ""] of TEXT.matchAll(/image: (\S+)/g))
      expect(readme).toContain(`build -t ${image} `);
  });

  it("protects the application in each pod, whose probes tell when it works", async () => {
    const files = join(scratch.folder, "mounted");
    mkdirSync(files);
    const manifests = await onThisMachine(files);
    for (const [name, text] of Object.entries(manifests.find(({ data }) => data)?.data ?? {})) {
      writeFileSync(join(files, name), text);
    }
    const pod = manifests.find(({ kind }) => kind === "Deployment")?.spec.template.spec;
    const [sidecar, shop] = [pod.initContainers[0], pod.containers[0]] as [Container, Container];
    const service = [process.execPath, join(ROOT, "bin", "svc-authorizer.cjs"), ...(sidecar.args ?? [])];
    const startSidecar = () => scratch.start(service, scratch.folder, variablesOf(sidecar));
    const ready = (container: Container, probe: Probe) =>
      expect.poll(() => statusOf(probed(container, probe)), { interval: 100 }).toBe(200);
    const running = startSidecar();
    await ready(sidecar, sidecar.startupProbe as Probe);
    await ready(sidecar, sidecar.readinessProbe);
    await ready(sidecar, sidecar.livenessProbe as Probe);
    const [, ...args] = shop.command ?? [];
    scratch.start([process.execPath, ...args], scratch.installed("kubernetes"), variablesOf(shop));
    await ready(shop, shop.readinessProbe);

    const address = probed(shop, { httpGet: { path: "/objects/a", port: "http" } });
    const status = (user?: string) =>
      statusOf(address, { method: "DELETE", headers: user === undefined ? {} : { "x-user": user } });
    expect(await status()).toBe(401);
    expect(await status("viewer")).toBe(403);
    expect(await status("developer")).toBe(200);
    kill(running);
    await expect.poll(() => status("developer")).toBe(503);
    startSidecar();
    await expect.poll(() => status("developer")).toBe(200);
  });

  it("makes a Service of the port of the application, for the pods that the Deployment makes", () => {
    const [, deployment, service] = manifestsOf(TEXT) as [Manifest, Manifest, Manifest];
    expect(deployment.spec.template.metadata.labels).toMatchObject(service.spec.selector);
    expect(deployment.spec.template.metadata.labels).toMatchObject(deployment.spec.selector.matchLabels);
    const [shop] = deployment.spec.template.spec.containers as Container[];
    expect(shop?.ports.map(({ name }) => name)).toContain(service.spec.ports[0].targetPort);
  });
});

describe.skipIf(!hasProgram("kubernetes-validate"))("kubernetes-validate", () => {
  it("takes the manifest of the example of a sidecar", () => {
    const text = execFileSync("kubernetes-validate", ["--strict", "-k", KUBERNETES, MANIFEST], {
      encoding: "utf8",
    });
    expect(text.match(/passed/g)).toHaveLength(3);
  });
});
