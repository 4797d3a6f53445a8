/** The server's package, installed in an empty folder and used as its users do. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUNDLED } from "../../build/bundled.ts";
import { isWhole } from "../proofs/size.ts";
import {
  type Consumer,
  checkTarball,
  command,
  environment,
  install,
  installPackages,
  manifestOf,
  ROOT,
  VERSION,
  weigh,
} from "./installed.ts";

let installation: Consumer;
let consumer: string;
beforeAll(() => {
  installation = installPackages("server");
  consumer = installation.folder;
});
afterAll(() => installation.remove(), 120_000);

const OPTIONAL = Object.keys(manifestOf(ROOT).peerDependenciesMeta);
/** The dependencies of the packages that the server is compiled from, without those packages. */
const ALL = [".", "packages/policy", "packages/commands"]
  .flatMap((folder) => Object.entries<string>(manifestOf(join(ROOT, folder)).dependencies))
  .filter(([name]) => !name.startsWith("@svc-authorizer/"));
const DEPENDENCIES = Object.fromEntries(
  ALL.filter(([name]) => !OPTIONAL.includes(name) && !BUNDLED.includes(name)),
);
const PEERS = Object.fromEntries(ALL.filter(([name]) => OPTIONAL.includes(name)));

const installed = (...args: string[]) =>
  command(consumer, join("node_modules", ".bin", "svc-authorizer"), ...args);

describe("the published package", () => {
  it("has the manifest of the clone, without what only the clone needs", () => {
    const [ours, theirs] = [
      manifestOf(ROOT),
      manifestOf(join(consumer, "node_modules", "@svc-authorizer", "server")),
    ];
    expect(theirs.name).toBe("@svc-authorizer/server");
    expect(theirs.version).toBe(VERSION);
    for (const key of ["description", "license", "type", "bin"]) {
      expect(theirs[key], key).toEqual(ours[key]);
    }
    expect(theirs.dependencies).toEqual(DEPENDENCIES);
    expect(theirs.peerDependencies).toEqual(PEERS);
    expect(theirs.peerDependenciesMeta).toEqual(manifestOf(ROOT).peerDependenciesMeta);
    expect(theirs.engines).toEqual({ node: ">=24" });
    for (const key of ["private", "scripts", "devDependencies", "optionalDependencies"]) {
      expect(Object.keys(theirs)).not.toContain(key);
    }
  });

  it.skipIf(process.platform === "win32")("brings at most 160 packages and 45 MB beside its own", () => {
    const { packages, megabytes } = weigh(consumer);
    expect(packages).toBeLessThanOrEqual(160);
    // LMDB takes 18 of them; bintrees and the API of OpenTelemetry, which prom-client depends on, 4.
    expect(megabytes).toBeLessThanOrEqual(45);
  });

  it("holds compiled sources and the data they read, and no sources, types or tests", () => {
    const path = join(consumer, "node_modules", "@svc-authorizer", "server");
    const files = readdirSync(path, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(
      expect.arrayContaining([
        "src/main.js",
        "policies/manifest.json",
        "LICENSE",
        "console/index.html",
        "console/LICENSES.md",
      ]),
    );
    expect(
      files.filter((file) => /^console\/assets\/index-[\w-]{8}\.js(\.br|\.gz)?$/.test(file)),
    ).toHaveLength(3);
    expect(files.filter((file) => /\.ts$|\.test\.|^(test|bench|node_modules)\b/.test(file))).toEqual([]);
  });

  it("carries the licenses of what is bundled into it, and imports nothing of that", () => {
    const path = join(consumer, "node_modules", "@svc-authorizer", "server");
    const notices = readFileSync(join(path, "THIRD-PARTY-NOTICES.md"), "utf8");
    const named = [...notices.matchAll(/^## (\S+) \d\S* \(\S+\)$/gm)].map(([, name]) => name);
    expect(named).toEqual([...BUNDLED].sort());
    const code = readdirSync(join(path, "src")).filter((file) => file.endsWith(".js"));
    const imported = code.flatMap((file) => {
      const text = readFileSync(join(path, "src", file), "utf8");
      return [...text.matchAll(/^import .* from "([^."][^"]*)";$/gm)].map(([, name]) => name);
    });
    expect(imported).toContain("lmdb");
    expect(BUNDLED.filter((name) => imported.includes(name))).toEqual([]);
  });

  it("tells its version", () => {
    expect(installed("--version")).toBe(`${VERSION}\n`);
  });

  it("prints the reference of the configuration as the clone has it", () => {
    expect(installed("config", "docs")).toBe(readFileSync(join(ROOT, "docs", "configuration.md"), "utf8"));
  });

  it("serves until it is told to stop, then exits with 0", async () => {
    const config = join(consumer, "config.yaml");
    const any = "127.0.0.1:0";
    writeFileSync(
      config,
      JSON.stringify({
        database: { type: "mem" },
        auth: { encrypt: { secret_key: "only-for-this-test-0123456789abcdef" } },
        authorizer: { listen_address: any, user_listen_address: any, metrics_address: any },
      }),
    );
    const service = startInstalled("run", "--config", config);
    try {
      const ready = await lineOf(service, "ready ");
      const url = /^ready service=(\S+) /.exec(ready)?.[1];
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      const user = / user=(\S+) /.exec(ready)?.[1];
      expect(await (await fetch(`${user}/users`)).text()).toContain('<div id="console">');
      // Rendered beforehand: nothing that is installed renders Markdown.
      for (const [page, text] of [
        ["/first-steps", "<h1 "],
        ["/api", "<code>/access/v1/check</code>"],
        ["/search?q=first+administrator", "/help/management-api#the-first-administrator"],
      ]) {
        expect(await (await fetch(`${user}/help${page}`)).text()).toContain(text);
      }
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
      expect((await fetch(`${url}/access/v1/check`, { method: "POST" })).status).toBe(401);
      service.kill("SIGTERM");
      expect(await once(service, "exit")).toEqual([0, null]);
    } finally {
      service.kill("SIGKILL");
    }
  });

  it("answers the first decision of the quick start, with the data set that it brings", async () => {
    const service = startInstalled("run", "--quickstart", "--data", join(consumer, "quick start"));
    try {
      const request = await lineOf(service, "curl ");
      expect(JSON.parse(command(consumer, "sh", "-c", request))).toEqual({ decision: true });
      service.kill("SIGTERM");
      expect(await once(service, "exit")).toEqual([0, null]);
    } finally {
      service.kill("SIGKILL");
    }
  });
});

it("is a package that its registry and compilers understand", () => {
  checkTarball(installation, "server");
});

describe("packages that a configuration asks for", () => {
  const BASE = {
    auth: { encrypt: { secret_key: "only-for-this-test-0123456789abcdef" } },
    listen_address: "127.0.0.1:0",
    authorizer: {
      listen_address: "127.0.0.1:0",
      metrics_address: "127.0.0.1:0",
      replication: { commit_timeout: "2s" },
    },
    logging: { level: "ERROR" },
  };
  const MEMORY = { ...BASE, database: { type: "mem" } };
  const NOWHERE = "http://127.0.0.1:9";
  const ASKING: readonly (readonly [
    purpose: string,
    config: object,
    env: Record<string, string>,
    names: readonly string[],
  ])[] = [
    [
      "database.type",
      { ...BASE, database: { type: "dynamodb", dynamodb: { table_name: "t", endpoint: NOWHERE } } },
      {},
      ["@aws-sdk/client-dynamodb"],
    ],
    [
      "database.type",
      {
        ...BASE,
        database: { type: "cosmosdb", cosmosdb: { endpoint: NOWHERE, database: "d", container: "c" } },
      },
      {},
      ["@azure/cosmos", "@azure/identity"],
    ],
    [
      "authorizer.ext_authz.listen_address",
      { ...MEMORY, authorizer: { ...BASE.authorizer, ext_authz: { listen_address: "127.0.0.1:0" } } },
      {},
      ["@grpc/grpc-js", "@grpc/proto-loader"],
    ],
    [
      "authorizer.aws_iam.enabled",
      {
        ...MEMORY,
        authorizer: { ...BASE.authorizer, aws_iam: { enabled: true, server_id: "a.example.com" } },
      },
      {},
      ["fast-xml-parser"],
    ],
    [
      "authorizer.ldap.url",
      {
        ...MEMORY,
        authorizer: {
          ...BASE.authorizer,
          ldap: { url: "ldap://127.0.0.1", user_base_dn: "ou=people,dc=example,dc=com" },
        },
      },
      {},
      ["ldapts"],
    ],
    [
      "email.smtp_host",
      { ...MEMORY, email: { smtp_host: "127.0.0.1", sender: "a@example.com" } },
      {},
      ["nodemailer"],
    ],
    [
      "variables OTEL_*",
      MEMORY,
      { OTEL_EXPORTER_OTLP_ENDPOINT: NOWHERE },
      OPTIONAL.filter((name) => name.startsWith("@opentelemetry/")),
    ],
  ];

  /** Starts the installed service; it ends by itself, or is ended when it is ready. */
  async function startWith(config: object, env: Record<string, string>) {
    const file = join(consumer, "asking.yaml");
    writeFileSync(file, JSON.stringify(config));
    const child = spawn(join(consumer, "node_modules", ".bin", "svc-authorizer"), ["run", "--config", file], {
      cwd: consumer,
      env: { ...environment(), ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { ready: false, stderr: "" };
    child.stderr.on("data", (chunk) => {
      output.stderr += chunk;
    });
    createInterface(child.stdout).on("line", (line) => {
      if (!line.startsWith("ready ")) return;
      output.ready = true;
      child.kill("SIGTERM");
    });
    await once(child, "close");
    return output;
  }

  /** Does what the sentences say. An installation takes long: in most runs, the clone's packages stand in for it. */
  function bringOptional(): void {
    if (isWhole || process.env["PACKED"] !== undefined) {
      install(consumer, ...OPTIONAL.map((name) => `${name}@${PEERS[name]}`));
      return;
    }
    for (const name of OPTIONAL) {
      const place = join(consumer, "node_modules", name);
      if (existsSync(place)) continue;
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(join(ROOT, "node_modules", name), place);
    }
  }

  it("are all that are optional", () => {
    // The prompt is asked for by a command, at a terminal.
    const asked = ["@inquirer/password", ...ASKING.flatMap(([, , , names]) => names)];
    expect(asked.sort()).toEqual([...OPTIONAL].sort());
  });

  it("are named by the start in one sentence with the command that installs them, and are loaded then", async () => {
    for (const [purpose, config, env, names] of ASKING) {
      const { ready, stderr } = await startWith(config, env);
      expect(ready, purpose).toBe(false);
      const sentences = stderr.split("\n").filter((line) => line.includes("npm install "));
      expect(sentences, stderr).toHaveLength(1);
      const [sentence = ""] = sentences;
      expect(sentence).toContain(`${purpose}`);
      // Another package may bring one of them anyway.
      const missing = names.filter((name) => !existsSync(join(consumer, "node_modules", name)));
      const wanted = missing.map((name) => `${name}@${PEERS[name]}`).join(" ");
      expect(missing, purpose).not.toEqual([]);
      expect(sentence).toContain(`not installed: npm install ${wanted}`);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
    bringOptional();
    for (const [purpose, config, env] of ASKING) {
      const { ready, stderr } = await startWith(config, env);
      expect(stderr, purpose).not.toContain("npm install ");
      // Of a database that nobody answers for, its client says so.
      if (purpose === "database.type") expect(stderr).toMatch(/cannot be used/);
      else expect(ready, stderr).toBe(true);
    }
  });
});

it("comes with a bill of materials", () => {
  const bill = JSON.parse(readFileSync(join(installation.packages, "server.cdx.json"), "utf8"));
  expect(bill.bomFormat).toBe("CycloneDX");
  const names = bill.components.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining([...Object.keys(DEPENDENCIES), ...BUNDLED]));
  expect(names).not.toContain("vitest");
  const scopeOf = (wanted: string) =>
    bill.components.find(
      ({ group, name }: { group?: string; name: string }) => (group ? `${group}/${name}` : name) === wanted,
    )?.scope;
  expect([scopeOf("lmdb"), scopeOf("nodemailer"), scopeOf("thrift")]).toEqual([
    "required",
    "optional",
    undefined,
  ]);
});

it("is not what packing the clone itself makes: that says in one sentence what to do", () => {
  expect(() => command(ROOT, "npm", "pack", "--dry-run")).toThrow(
    /This folder is not packed as it is: run `npm run pack`/,
  );
});

function startInstalled(...args: string[]): ChildProcess {
  const program = join(consumer, "node_modules", ".bin", "svc-authorizer");
  return spawn(program, args, { cwd: consumer, env: environment(), stdio: ["ignore", "pipe", "inherit"] });
}

/** The first line on standard output that begins so; throws when the program ends without one. */
async function lineOf(service: ChildProcess, beginning: string): Promise<string> {
  if (service.stdout === null) throw new Error("standard output is not piped");
  for await (const line of createInterface(service.stdout)) if (line.startsWith(beginning)) return line;
  throw new Error(`ended without a line that begins with ${beginning}`);
}
