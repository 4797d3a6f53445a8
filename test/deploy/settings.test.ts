import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../src/config/load.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { ROOT, textOf, yamlOf } from "./repository.ts";

const SECRETS = { SVC_AUTH_ENCRYPT_SECRET_KEY: "k".repeat(64), SVC_AUTH_API_TOKEN: "t".repeat(64) };

const folder = temporaryFolder();

/**
 * The items with a warning when the user listener leaves loopback without TLS; no other warning is expected anywhere.
 */
const USER_LISTENER = ["authorizer.user_listen_address"];

/** The configuration that the service reads from a file of this text, as its loader sees it. */
function load(text: string, env: Readonly<Record<string, string>> = {}) {
  const file = join(folder, "config.yaml");
  writeFileSync(file, text);
  return loadConfig({ env: { ...SECRETS, ...env }, configFile: file, home: folder });
}

/** The file `config.yaml` of the first ConfigMap in a manifest. */
function configMapOf(path: string): string {
  const maps = yamlOf(path) as { kind: string; data: Record<string, string> }[];
  return maps.find((manifest) => manifest.kind === "ConfigMap")?.data["config.yaml"] ?? "";
}

describe("the settings that ship", () => {
  it("of the image are complete but for the secrets", () => {
    const { values, warnings } = load(textOf("deploy/container.yaml"));
    expect(values).toMatchObject({ "database.type": "local", "database.local.path": "/data" });
    expect(warnings.map((warning) => warning.item)).toEqual(USER_LISTENER);
    const bare = { env: {}, configFile: join(ROOT, "deploy/container.yaml"), home: folder };
    expect(() => loadConfig(bare)).toThrow(/auth\.encrypt\.secret_key/);
  });

  it("of the compose file let the service listen in the container and load the quick-start data", () => {
    const compose = parse(textOf("docker-compose.yml"));
    const { values, warnings } = load(
      textOf("deploy/container.yaml"),
      compose.services.authorizer.environment,
    );
    expect(values).toMatchObject({
      "authorizer.listen_address": "0.0.0.0:8001",
      "authorizer.user_listen_address": "0.0.0.0:8000",
      "authorizer.insecure_listen": true,
      "database.local.path": "/data",
    });
    expect(warnings.map((warning) => warning.item)).toEqual(USER_LISTENER);
  });

  it("of the standalone manifest serve TLS outside loopback", () => {
    const { values, warnings } = load(configMapOf("deploy/kubernetes/standalone.yaml"));
    expect(values).toMatchObject({
      "authorizer.listen_address": "0.0.0.0:8001",
      "authorizer.tls.enabled": true,
      "authorizer.insecure_listen": false,
      "authorizer.shutdown_delay": 5000,
    });
    expect(warnings).toEqual([]);
  });

  it("of the replicated manifest have a shared database, a folder for the copy, and metrics with a token", () => {
    const tokenFile = join(folder, "metrics-token");
    writeFileSync(tokenFile, `${"m".repeat(64)}\n`, { mode: 0o600 });
    const text = configMapOf("deploy/kubernetes/replicated.yaml").replace(
      "/etc/svc/metrics/token",
      tokenFile,
    );
    const connection = "postgres://authorizer@db.example.com/authorizer?sslmode=verify-full";
    const { values, warnings } = load(text, { SVC_DATABASE_POSTGRES_CONNECTION_STRING: connection });
    expect(values).toMatchObject({
      "database.type": "postgres",
      "authorizer.replication.path": "/copy/directory",
      "authorizer.metrics_address": "0.0.0.0:8002",
      "authorizer.tls.enabled": true,
      "authorizer.shutdown_delay": 5000,
    });
    expect(values["authorizer.tokens"].map(({ scopes }) => scopes)).toEqual([["metrics"]]);
    expect(warnings).toEqual([]);
  });

  it("of the nodes of the compose file share the database of their profile", () => {
    const compose = parse(textOf("docker-compose.yml"), { merge: true });
    for (const name of ["node1", "node2"]) {
      const { values } = load(textOf("deploy/container.yaml"), compose.services[name].environment);
      expect(values["database.type"]).toBe("postgres");
      expect(values["database.postgres.connection_string"]).toContain("@postgres:5432/authorizer");
      expect(values["authorizer.listen_address"]).toBe("0.0.0.0:8001");
    }
  });

  it("of the sidecar manifest keep the service listener on loopback and out of the data server's way", () => {
    const { values, warnings } = load(configMapOf("deploy/kubernetes/sidecar.yaml"));
    expect(values).toMatchObject({
      "authorizer.listen_address": "127.0.0.1:8001",
      "authorizer.user_listen_address": "0.0.0.0:8010",
      "database.type": "mem",
      "authorizer.datasets_mode": "sync",
    });
    expect(warnings.map((warning) => warning.item)).toEqual(USER_LISTENER);
  });
});
