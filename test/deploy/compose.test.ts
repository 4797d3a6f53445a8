import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { itemNamed } from "../../src/config/table.ts";
import { ROOT, secretsIn, textOf, yamlOf } from "./repository.ts";

interface Service {
  readonly image?: string;
  readonly build?: string;
  readonly profiles?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [key: string]: unknown;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const [compose] = yamlOf("docker-compose.yml", { merge: true }) as [Compose];
const authorizer = compose.services["authorizer"] as Service;

describe("docker-compose.yml", () => {
  it("starts the service alone; databases wait for their profile", () => {
    const started = Object.keys(compose.services).filter(
      (name) => compose.services[name]?.profiles === undefined,
    );
    expect(started).toEqual(["authorizer"]);
    for (const name of ["postgres", "dynamodb", "cosmosdb"])
      expect(compose.services[name]?.profiles).toEqual([name]);
  });

  it("gives the service a volume, a health check and a way to restart", () => {
    expect(authorizer.volumes).toContain("data:/data");
    expect(authorizer.healthcheck?.test.join(" ")).toContain("/healthz");
    expect(authorizer["restart"]).toBe("unless-stopped");
    expect(existsSync(join(ROOT, authorizer.build ?? "-", "Dockerfile"))).toBe(true);
  });

  it("has two nodes over one database behind nginx, which share their secrets", () => {
    const nodes = ["node1", "node2"].map((name) => compose.services[name] as Service);
    for (const node of nodes) {
      expect(node.profiles).toEqual(["postgres"]);
      expect(node.volumes).toEqual(["nodes:/data"]);
      expect(node.environment?.["SVC_DATABASE_TYPE"]).toBe("postgres");
      expect(node.healthcheck?.test.join(" ")).toContain("/readyz");
      expect([node["mem_limit"], node["read_only"], node["cap_drop"]]).toEqual(["512m", true, ["ALL"]]);
    }
    // The second waits for the secrets that the first generates.
    expect(nodes[1]?.["depends_on"]).toHaveProperty("node1");
    const upstreams = [...textOf("deploy/compose/nginx.conf").matchAll(/^ {4}server (\w+):(\d+) /gm)];
    expect(upstreams.map(([, name, port]) => `${name}:${port}`)).toEqual([
      "node1:8001",
      "node2:8001",
      "node1:8000",
      "node2:8000",
    ]);
  });

  it("lets the largest bodies that the nodes take through the balancer", () => {
    const { default: most } = itemNamed("authorizer.limits.bulk_body_bytes");
    const mebibytes = /^ {2}client_max_body_size (\d+)m;$/m.exec(textOf("deploy/compose/nginx.conf"))?.[1];
    expect(`${mebibytes} MiB`).toBe(most);
  });

  it("bounds the memory and the processes of the service", () => {
    expect(authorizer["mem_limit"]).toBe("512m");
    expect(authorizer["pids_limit"]).toBe(256);
  });

  it("names only volumes that it declares", () => {
    const used = Object.values(compose.services).flatMap((service) => service.volumes ?? []);
    for (const volume of used) expect(Object.keys(compose.volumes)).toContain(volume.split(":")[0]);
  });

  it("publishes every port on loopback only", () => {
    const ports = Object.values(compose.services).flatMap((service) => service.ports ?? []);
    expect(ports.length).toBeGreaterThan(2);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  it("holds no secret: the entry script generates the service's, databases take theirs from outside", () => {
    expect(secretsIn(textOf("docker-compose.yml"))).toEqual([]);
    expect(authorizer.environment?.["GENERATE_SECRETS"]).toBe("true");
    expect(compose.services["postgres"]?.environment?.["POSTGRES_PASSWORD"]).toBe("${POSTGRES_PASSWORD:-}");
  });

  it("requires no variable, since that is checked for every profile, also of services that do not start", () => {
    expect(textOf("docker-compose.yml").replaceAll(/#.*/g, "")).not.toMatch(/\$\{\w+:?\?/);
  });

  it("runs every image at a version that it names", () => {
    const images = Object.values(compose.services).flatMap((service) => service.image ?? []);
    for (const image of images.filter((name) => name !== "svc-authorizer")) {
      expect(image).toMatch(/:[\w.-]+$/);
      expect(image).not.toMatch(/:latest$/);
    }
  });

  it("takes from the container what the service does not need", () => {
    expect(authorizer["read_only"]).toBe(true);
    expect(authorizer["cap_drop"]).toEqual(["ALL"]);
    expect(authorizer["security_opt"]).toEqual(["no-new-privileges:true"]);
  });

  it("loads a data set that the image has", () => {
    const path = authorizer.environment?.["SVC_AUTHORIZER_DATASETS"] ?? "";
    expect(path).toMatch(/^\/app\/fixtures\/datasets\//);
    expect(existsSync(join(ROOT, path.replace("/app/", "")))).toBe(true);
  });
});
