import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { connect } from "node:tls";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { selfSigned } from "../http/certificate.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const folder = temporaryFolder();
const [first, second, client, stranger] = ["first", "second", "client", "stranger"].map(selfSigned) as [
  Pair,
  Pair,
  Pair,
  Pair,
];
interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** As Kubernetes mounts a secret: files that link through a folder which is replaced as a whole. */
function mount(name: string, pair: Pair): void {
  mkdirSync(join(folder, name));
  writeFileSync(join(folder, name, "tls.crt"), pair.cert);
  writeFileSync(join(folder, name, "tls.key"), pair.key);
  symlinkSync(name, join(folder, "..new"));
  renameSync(join(folder, "..new"), join(folder, "..data"));
}

let authorizer: TestAuthorizer;
beforeAll(async () => {
  mount("1", first);
  for (const name of ["tls.crt", "tls.key"]) symlinkSync(`..data/${name}`, join(folder, name));
  writeFileSync(join(folder, "clients.crt"), client.cert);
  const [cert_file, key_file] = [join(folder, "tls.crt"), join(folder, "tls.key")];
  authorizer = await startAuthorizer({
    config: {
      "authorizer.tls": { enabled: true, cert_file, key_file, client_ca_file: join(folder, "clients.crt") },
      tls: { enabled: true, cert_file, key_file },
    },
  });
});
afterAll(() => authorizer?.close());

/** The common name that new connections are shown. */
function shownName(url: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(
      { host: hostname, port: Number(port), rejectUnauthorized: false, ...client },
      () => {
        const { subject } = socket.getPeerCertificate();
        socket.destroy();
        resolve(String(subject.CN));
      },
    );
    socket.on("error", reject);
  });
}

function status(url: string, options: object): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/healthz`, { rejectUnauthorized: false, ...options }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode ?? 0));
    });
    sent.on("error", reject).end();
  });
}

describe("TLS on both listeners", () => {
  it("the service listener answers only clients with a certificate of authorizer.tls.client_ca_file", async () => {
    expect(await status(authorizer.url, { ...client, agent: false })).toBe(200);
    await expect(status(authorizer.url, { agent: false })).rejects.toThrow();
    await expect(status(authorizer.url, { ...stranger, agent: false })).rejects.toThrow();
  });

  it("the user listener asks for no client certificate", async () => {
    expect(await status(authorizer.userUrl, { agent: false })).toBe(200);
  });

  it.each([["TLSv1.1"], ["TLSv1"]] as const)("nothing older than TLS 1.2 is spoken: %s", async (version) => {
    const old = { maxVersion: version, minVersion: version, agent: false };
    await expect(status(authorizer.userUrl, old)).rejects.toThrow();
  });

  it("new certificate files are shown to new connections, and open ones go on", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let connections = 0;
    agent.on("free", () => connections++);
    expect(await shownName(authorizer.url)).toBe("first");
    expect(await status(authorizer.url, { ...client, agent })).toBe(200);
    mount("2", second);
    while ((await shownName(authorizer.url)) === "first") await setTimeout(100);
    expect(await shownName(authorizer.url)).toBe("second");
    expect(await shownName(authorizer.userUrl)).toBe("second");
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
    expect(await status(authorizer.url, { ...client, agent })).toBe(200);
    expect(connections).toBe(2);
    agent.destroy();
  });
});
