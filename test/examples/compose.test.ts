/**
 * The compose example without Docker: its file is read, and its parts are started from the programs of this machine,
 * with the files that it mounts. Grafana is not among them: what it is provisioned with is checked.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { secretsIn } from "../deploy/repository.ts";
import { freePort } from "../free-port.ts";
import { hasProgram } from "../journal/has-program.ts";
import { EXAMPLES, ROOT, Scratch, statusOf } from "./kit.ts";

const FOLDER = join(EXAMPLES, "compose");
const textOf = (path: string) => readFileSync(join(FOLDER, path), "utf8");

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly network_mode?: string;
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const { services, volumes } = parse(textOf("compose.yaml")) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const all = Object.values(services);

/** Files of the clone by the path at which a service has them. */
const mountsOf = ({ volumes: mounts = [] }: Service): ReadonlyMap<string, string> =>
  new Map(
    mounts
      .filter((mount) => mount.startsWith("."))
      .map((mount) => mount.split(":"))
      .map(([from = "", to = ""]) => [to, join(FOLDER, from)]),
  );
const mounted = (service: string, path: string): string =>
  readFileSync(mountsOf(services[service] as Service).get(path) ?? path, "utf8");

describe("the compose file of the example", () => {
  it("has the parts that the README names, and mounts files and volumes that exist", () => {
    expect(Object.keys(services).sort()).toEqual([
      "authorizer",
      "data-server",
      "grafana",
      "nginx",
      "prometheus",
    ]);
    for (const service of all) {
      for (const file of mountsOf(service).values()) expect(existsSync(file), file).toBe(true);
      const named = (service.volumes ?? []).filter((mount) => !mount.startsWith("."));
      for (const mount of named) expect(Object.keys(volumes)).toContain(mount.split(":")[0]);
      for (const name of Object.keys(service.depends_on ?? {})) expect(Object.keys(services)).toContain(name);
    }
    expect(existsSync(join(FOLDER, services["authorizer"]?.build ?? "-", "Dockerfile"))).toBe(true);
  });

  it("names versions of images, publishes on loopback only, and holds no secret", () => {
    for (const { image, build, ports = [] } of all) {
      if (build === undefined) expect(image).toMatch(/:v?\d[\w.-]*$/);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    }
    for (const file of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
      if (!file.isFile() || file.name === "README.md") continue;
      expect(secretsIn(readFileSync(join(file.parentPath, file.name), "utf8")), file.name).toEqual([]);
    }
  });

  it("keeps the decision API and the metrics on the loopback that nginx and Prometheus share", () => {
    const { authorizer } = parse(mounted("authorizer", "/etc/svc/config.yaml"));
    expect(authorizer).toMatchObject({
      listen_address: "127.0.0.1:8001",
      metrics_address: "127.0.0.1:8002",
    });
    for (const name of ["nginx", "prometheus"]) {
      expect(services[name]?.network_mode).toBe("service:authorizer");
      expect(services[name]?.ports).toBeUndefined();
    }
    const published = services["authorizer"]?.ports?.map((port) => port.split(":")[2]);
    expect(published).toEqual(["8000", "8080", "9090"]);
  });

  it("has the nginx of docs/gateways.md, but for the address of the data server and the token", () => {
    const page = readFileSync(join(ROOT, "docs", "gateways.md"), "utf8");
    const block = /^```nginx\n([\s\S]*?)^```/m.exec(page)?.[1] ?? "";
    const expected = block
      .replace("server 127.0.0.1:8000;", "server data-server:8100;")
      .replaceAll('"the token of authorizer.forward_auth.proxy_token"', '""');
    expect(textOf("nginx.conf").split("\n").slice(1).join("\n")).toBe(expected);
  });

  it("gives Grafana the dashboards of deploy, and the address of this Prometheus", () => {
    const mounts = mountsOf(services["grafana"] as Service);
    const at = (folder: string) => [...mounts].find(([path]) => path.startsWith(folder))?.[1] ?? "";
    const sources = parse(readFileSync(at("/etc/grafana/provisioning/datasources/"), "utf8"));
    expect(sources).toMatchObject({
      apiVersion: 1,
      datasources: [{ type: "prometheus", access: "proxy", isDefault: true, url: "http://authorizer:9090" }],
    });
    const { apiVersion, providers } = parse(
      readFileSync(at("/etc/grafana/provisioning/dashboards/"), "utf8"),
    );
    expect([apiVersion, providers[0].type]).toEqual([1, "file"]);
    const folder = mounts.get(providers[0].options.path) ?? "";
    expect(readdirSync(folder).sort()).toEqual(["nodes.json", "service.json"]);
  });
});

const scratch = new Scratch();
afterAll(() => scratch.close());

const REPOSITORY = "/api/v1/repositories/data";
const SECRET = "secret-of-the-reader-0123456789";

describe.skipIf(!hasProgram("nginx") || !hasProgram("prometheus"))("the parts of the compose example", () => {
  it("let nginx ask about every request, and Prometheus see it", async () => {
    const ports = new Map<string, number>();
    for (const port of ["8000", "8001", "8002", "8080", "8100", "9090"]) ports.set(port, await freePort());
    /** A file of the example for one machine: its hosts, ports and folders are this machine's. */
    const local = (text: string): string => {
      const hosts = text.replaceAll(/\b(?:data-server|0\.0\.0\.0)(?=:)/g, "127.0.0.1");
      const moved = [...ports].reduce(
        (changed, [from, to]) => changed.replaceAll(new RegExp(`(?<=[:" ]|listen )${from}\\b`, "g"), `${to}`),
        hosts,
      );
      return moved
        .replaceAll("listen ", "listen 127.0.0.1:")
        .replaceAll("/etc/svc", scratch.folder)
        .replaceAll("path: /data", `path: ${join(scratch.folder, "data")}`);
    };
    const write = (name: string, text: string): string => {
      const file = join(scratch.folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      return file;
    };
    const address = (port: string) => `http://127.0.0.1:${ports.get(port)}`;

    // The service, by the entry script of its image.
    const { environment = {} } = services["authorizer"] as Service;
    expect(environment["READER_SECRET"]).toBe("${READER_SECRET:-}");
    write("access.yaml", mounted("authorizer", "/etc/svc/access.yaml"));
    const config = write("config.yaml", local(mounted("authorizer", "/etc/svc/config.yaml")));
    mkdirSync(join(scratch.folder, "bin"));
    symlinkSync(join(ROOT, "bin", "svc-authorizer.cjs"), join(scratch.folder, "bin", "svc-authorizer"));
    const entry = join(ROOT, "deploy", "docker-entrypoint.sh");
    scratch.start(["/bin/sh", entry, "run", "--config", config], scratch.folder, {
      ...environment,
      READER_SECRET: SECRET,
      SECRETS_FOLDER: join(scratch.folder, "secrets"),
      PATH: `${join(scratch.folder, "bin")}:${dirname(process.execPath)}:${process.env["PATH"]}`,
    });

    const { command = [] } = services["data-server"] as Service;
    const [, program = ""] = command;
    const standIn = mountsOf(services["data-server"] as Service).get(program) ?? "";
    scratch.start([process.execPath, standIn], scratch.folder, { PORT: `${ports.get("8100")}` });

    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((kind) => `  ${kind}_temp_path ${join(scratch.folder, kind)};\n`)
      .join("");
    const nginx = local(mounted("nginx", "/etc/nginx/nginx.conf"))
      .replace("/run/nginx.pid", join(scratch.folder, "nginx.pid"))
      .replace("http {", `http {\n  access_log off;\n${temporary}`);
    const nginxFile = write("nginx.conf", nginx);
    const log = join(scratch.folder, "error.log");
    const daemon = ["-p", scratch.folder, "-e", log, "-g", "daemon off;"];
    scratch.start(["nginx", "-c", nginxFile, ...daemon], scratch.folder);

    const rules = write("rules.yaml", mounted("prometheus", "/etc/prometheus/rules.yaml"));
    const scraping = local(mounted("prometheus", "/etc/prometheus/prometheus.yml"))
      .replace("/etc/prometheus/rules.yaml", rules)
      .replaceAll("5s", "500ms");
    const prometheusFile = write("prometheus.yml", scraping);
    const prometheus = ["prometheus", `--config.file=${prometheusFile}`, "--log.level=error"];
    const storage = `--storage.tsdb.path=${join(scratch.folder, "tsdb")}`;
    const listen = `--web.listen-address=127.0.0.1:${ports.get("9090")}`;
    scratch.start([...prometheus, storage, listen], scratch.folder);

    const authorization = `Basic ${Buffer.from(`AKIAJEXAMPLEREADERQ:${SECRET}`).toString("base64")}`;
    const through = (init: RequestInit = {}) => statusOf(`${address("8080")}${REPOSITORY}`, init);
    const reader = { headers: { authorization } };
    await expect.poll(() => through(reader), { interval: 100 }).toBe(200);
    expect(await through()).toBe(401);
    expect(await through({ ...reader, method: "DELETE" })).toBe(403);
    expect(await (await fetch(`${address("8080")}${REPOSITORY}`, reader)).json()).toEqual({
      method: "GET",
      url: REPOSITORY,
      user: "reader",
    });

    // biome-ignore lint/suspicious/noExplicitAny: answers of another program
    const asked = async (path: string): Promise<any> => {
      const answer = await fetch(`${address("9090")}/api/v1/${path}`).catch(() => undefined);
      return ((await answer?.json()) as { readonly data?: unknown } | undefined)?.data;
    };
    const count = async (effect: string): Promise<number> => {
      const query = `sum(svc_authorizer_decisions_total{entrance="forward_auth",effect="${effect}"})`;
      const found = await asked(`query?query=${encodeURIComponent(query)}`);
      return Number(found?.result?.[0]?.value[1] ?? 0);
    };
    await expect.poll(() => count("allow"), { interval: 200 }).toBeGreaterThanOrEqual(2);
    await expect.poll(() => count("neutral"), { interval: 200 }).toBeGreaterThanOrEqual(1);
    const alerts = (await asked("rules")).groups.flatMap(({ rules: some }: { rules: unknown[] }) => some);
    expect(alerts.length).toBeGreaterThan(5);
    for (const { health } of alerts) expect(health).not.toBe("err");
  });
});
