/**
 * `svcctl ingest` from programs that stand for Google Cloud Storage (fake-gcs-server, of the Go proxy) and Azure Storage
 * (azurite, of npm).
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { fileURLToPath } from "node:url";
import {
  ContainerClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { Storage } from "@google-cloud/storage";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { replay } from "./replay-server.ts";

const SVCCTL = fileURLToPath(new URL("../bin/svcctl.cjs", import.meta.url));
const NAMES = new URL("./loopback-names.mjs", import.meta.url).href;
const FAKE_GCS = process.env["FAKE_GCS_SERVER"] ?? "fake-gcs-server";
const AZURITE = process.env["AZURITE_BLOB"] ?? "azurite-blob";
const runs = (program: string, ...args: string[]) => spawnSync(program, args).error === undefined;
const STAGED = {
  status: 201,
  body: { path: "x", path_type: "object", size_bytes: 3, checksum: "x", mtime: 1, physical_address: "x" },
};

/** Names and contents. The last one only begins as the prefix does. */
const CONTENTS = new Map([
  ["raw/a.csv", "one"],
  ["raw/sub/b with blank+ä, 50%?#(1).csv", "three"],
  ["rawer/no.csv", "no"],
]);

const md5 = (content: string) => createHash("md5").update(content).digest("hex");
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) {
    child.kill();
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
});

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

async function started(program: string, args: readonly string[], port: number): Promise<void> {
  const child = spawn(program, args, { stdio: "ignore" });
  children.push(child);
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, "127.0.0.1");
    const isThere = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) return;
    if (tries > 300 || child.exitCode !== null) throw new Error(`${program} does not start`);
    await delay(100);
  }
}

/** Runs svcctl as a process, since the clients of the stores read its environment. */
async function ingest(from: string, env: Record<string, string>, ...more: string[]) {
  const server = await replay([STAGED]);
  const args = [
    SVCCTL,
    "ingest",
    "--from",
    from,
    "--to",
    "svc://example-repo/main/in/",
    "--concurrency",
    "1",
  ];
  const child = spawn(process.execPath, [...args, ...more], {
    env: { PATH: process.env["PATH"], HOME: temporaryFolder(), ...server.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  const linked = server.asked.map(({ line, body }) => {
    const path = new URL(line.split(" ")[1] ?? "", "http://x").searchParams.get("path");
    const { checksum, physical_address, size_bytes, mtime } = body as Record<string, unknown>;
    return {
      path,
      checksum,
      physical_address,
      size_bytes,
      isRecent: Date.now() / 1000 - Number(mtime) < 600,
    };
  });
  return { code, stdout, stderr, linked };
}

/** The requests that link the objects below `raw/`. */
const linkedFrom = (base: string, pathOf = (name: string) => name) =>
  [...CONTENTS].slice(0, 2).map(([name, content]) => ({
    path: `in/${name.slice("raw/".length)}`,
    checksum: md5(content),
    physical_address: `${base}/${pathOf(name)}`,
    size_bytes: content.length,
    isRecent: true,
  }));

describe.skipIf(!runs(FAKE_GCS, "-help"))("Google Cloud Storage", () => {
  let endpoint = "";

  beforeAll(async () => {
    const port = await freePort();
    endpoint = `http://127.0.0.1:${port}`;
    const place = ["-scheme", "http", "-host", "127.0.0.1", "-port", String(port), "-backend", "memory"];
    await started(FAKE_GCS, [...place, "-public-host", `127.0.0.1:${port}`], port);
    const storage = new Storage({ apiEndpoint: endpoint, projectId: "test" });
    const [bucket] = await storage.createBucket("example-bucket");
    for (const [name, content] of CONTENTS) await bucket.file(name).save(content, { resumable: false });
  });

  it("is listed below the prefix, and each object linked with its size and checksum", async () => {
    const env = { STORAGE_EMULATOR_HOST: `${endpoint}/storage/v1` };
    const ran = await ingest("gs://example-bucket/raw/", env);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.linked).toEqual(linkedFrom("gs://example-bucket"));
    expect(ran.stdout).toContain("Staged 2 external objects");
  });

  it("that lacks the bucket is an error that says so", async () => {
    const ran = await ingest("gs://missing-bucket/raw/", { STORAGE_EMULATOR_HOST: `${endpoint}/storage/v1` });
    expect(ran).toMatchObject({ code: 1, linked: [], stderr: expect.stringMatching(/not found/i) });
  });
});

describe.skipIf(!runs(AZURITE, "--version") || !runs("openssl", "version"))("Azure Storage", () => {
  // The account that azurite has, whose key is public.
  const ACCOUNT = "devstoreaccount1";
  const ACCOUNT_KEY =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";
  const host = `${ACCOUNT}.blob.core.localhost`;
  const folder = mkdtempSync(join(tmpdir(), "azure-"));
  const certificate = join(folder, "cert.pem");
  let [address, signature] = ["", ""];
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  beforeAll(async () => {
    const port = await freePort();
    const key = join(folder, "key.pem");
    const made = spawnSync("openssl", [
      ..."req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost".split(" "),
      ...["-addext", `subjectAltName=DNS:${host},IP:127.0.0.1`, "-keyout", key, "-out", certificate],
    ]);
    expect(made.status).toBe(0);
    const place = ["--blobHost", "127.0.0.1", "--blobPort", String(port)];
    const flags = ["--inMemoryPersistence", "--skipApiVersionCheck", "--silent", "--disableTelemetry"];
    await started(AZURITE, [...place, ...flags, "--cert", certificate, "--key", key], port);
    const credential = new StorageSharedKeyCredential(ACCOUNT, ACCOUNT_KEY);
    signature = generateBlobSASQueryParameters(
      {
        containerName: "example",
        permissions: ContainerSASPermissions.parse("racwl"),
        expiresOn: new Date(Date.now() + 3_600_000),
      },
      credential,
    ).toString();
    address = `https://${host}:${port}/example`;
    setDefaultCACertificates([...getCACertificates("default"), readFileSync(certificate, "utf8")]);
    const container = new ContainerClient(`https://127.0.0.1:${port}/${ACCOUNT}/example`, credential);
    await container.create();
    // What a data lake keeps for a folder.
    await container.getBlockBlobClient("raw/sub").upload("", 0, { metadata: { hdi_isfolder: "true" } });
    for (const [name, content] of CONTENTS) {
      await container.getBlockBlobClient(name).upload(content, Buffer.byteLength(content));
    }
  });

  const env = () => ({ NODE_EXTRA_CA_CERTS: certificate, NODE_OPTIONS: `--import ${NAMES}` });

  it("is listed below the prefix with a signature, which is in no address", async () => {
    const ran = await ingest(`${address}/raw/?${signature}`, env());
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    const encoded = (name: string) =>
      name.replace(/b with .*/, "b%20with%20blank+%C3%A4,%2050%25%3F%23%281%29.csv");
    expect(ran.linked).toEqual(linkedFrom(address, encoded));
    expect(ran.stdout).not.toContain("sig=");
  });

  it("that refuses the signature is an error that does not show it", async () => {
    const wrong = signature.replace(/sig=[^&]+/, "sig=d3Jvbmc%3D");
    const ran = await ingest(`${address}/raw/?${wrong}`, env());
    expect(ran).toMatchObject({ code: 1, linked: [] });
    expect(ran.stderr).not.toBe("");
    expect(ran.stderr).not.toContain("d3Jvbmc");
  });
});
