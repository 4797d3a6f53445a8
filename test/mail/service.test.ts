import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, describe, expect, it } from "vitest";
import { cleanUp, newFolder, type RunningProgram, start, writeConfig } from "../end-to-end/program.ts";
import { selfSigned } from "../http/certificate.ts";
import { headersOf, type MailServer, startServer, stopServers, tokenOf } from "./mail-server.ts";

const started: TestAuthorizer[] = [];
afterEach(async () => {
  for (const authorizer of started.splice(0)) await authorizer.close();
  cleanUp();
  await stopServers();
});

const TOKEN = "a-token-of-the-test-with-many-characters";
const PASSWORD = "correct horse battery staple";

async function authorizer(config: Record<string, unknown> = {}): Promise<TestAuthorizer> {
  const one = await startAuthorizer({ config: config as never });
  started.push(one);
  return one;
}

async function createUser(url: string, token: string, body: Record<string, unknown>) {
  const response = await fetch(`${url}/api/v1/auth/users`, {
    method: "POST",
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

async function delivered(server: MailServer, count: number): Promise<void> {
  await expect.poll(() => server.mails.length).toBe(count);
}

const alice = { username: "alice@example.com", email: "alice@example.com", invite: true };

describe("the data-server API", () => {
  it("answers an invitation with 201, the mail arrives, and metrics count it", async () => {
    const server = await startServer();
    const { url, token, metricsUrl } = await authorizer({
      "email.smtp_host": "127.0.0.1",
      "email.smtp_port": server.port,
      "email.sender": "data@example.com",
    });
    expect(await createUser(url, token, alice)).toMatchObject({ status: 201 });
    await delivered(server, 1);
    expect(server.mails[0]!.to).toEqual(["alice@example.com"]);
    expect(server.mails[0]!.raw).toContain("http://localhost:8000/auth/invite?token=3D");
    const metrics = async () => (await fetch(`${metricsUrl}/metrics`)).text();
    await expect.poll(metrics).toContain('svc_authorizer_mails_total{result="sent"} 1');
    expect(await metrics()).toContain("svc_authorizer_mail_queue_length 0");
  });

  it("answers 409 for a user who exists and sends nothing", async () => {
    const server = await startServer();
    const { url, token, directory } = await authorizer({
      "email.smtp_host": "127.0.0.1",
      "email.smtp_port": server.port,
      "email.sender": "data@example.com",
    });
    await directory.users.create({ username: alice.username, email: alice.email });
    expect(await createUser(url, token, alice)).toMatchObject({ status: 409 });
    expect(await createUser(url, token, { ...alice, username: "bob", email: "bob@b" })).toMatchObject({
      status: 201,
    });
    await delivered(server, 1);
    expect(server.recipients).toEqual(["bob@b"]);
  });

  it("of a user who was deleted before the mail left gives nothing to who has name and address then", async () => {
    const server = await startServer();
    const { url, token, directory, metricsUrl } = await authorizer({
      "email.smtp_host": "127.0.0.1",
      "email.smtp_port": server.port,
      "email.sender": "data@example.com",
      "email.burst": 1,
      "email.limit_every_duration": "2s",
    });
    const bob = { username: "bob", email: "bob@example.com", invite: true };
    expect(await createUser(url, token, bob)).toMatchObject({ status: 201 });
    await delivered(server, 1);
    expect(await createUser(url, token, alice)).toMatchObject({ status: 201 });
    await directory.users.delete(alice.username);
    expect(await createUser(url, token, { ...alice, invite: false })).toMatchObject({ status: 201 });
    const metrics = async () => (await fetch(`${metricsUrl}/metrics`)).text();
    await expect.poll(metrics).toContain("svc_authorizer_mail_queue_length 0");
    expect(server.recipients).toEqual(["bob@example.com"]);
  });

  it.each([
    ["without a mail server", {}, ["email.smtp_host", "email.sender"]],
    [
      "at burst 0",
      { "email.smtp_host": "127.0.0.1", "email.sender": "a@b", "email.burst": 0 },
      ["email.burst"],
    ],
  ])("answers 400 %s, names what to set and creates nobody", async (_when, config, names) => {
    const { url, token, directory } = await authorizer(config);
    const { status, text } = await createUser(url, token, alice);
    expect(status).toBe(400);
    for (const name of names) expect(text).toContain(name);
    expect((await directory.users.list({ amount: 10 })).results).toEqual([]);
    expect(await createUser(url, token, { ...alice, invite: false })).toMatchObject({ status: 201 });
  });
});

describe("the program", () => {
  /** Everything that the program wrote below a folder. */
  function written(folder: string): Buffer {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return Buffer.concat(files.map((entry) => readFileSync(join(entry.parentPath, entry.name))));
  }

  function run(
    folder: string,
    email: Record<string, unknown>,
    env: Record<string, string> = {},
  ): Promise<RunningProgram> {
    const config = writeConfig(folder, {
      listen_address: "127.0.0.1:0",
      database: { type: "local", local: { path: join(folder, "data") } },
      auth: { encrypt: { secret_key: "a secret key of the test, long enough" }, api: { token: TOKEN } },
      authorizer: { listen_address: "127.0.0.1:0", metrics_address: "127.0.0.1:0" },
      logging: { level: "TRACE", output: [join(folder, "log"), "="], audit_log_level: "INFO" },
      email: { smtp_host: "127.0.0.1", sender: "data@example.com", limit_every_duration: "0s", ...email },
    });
    return start(["--config", config], folder, env);
  }

  it.each([
    ["TLS from the first byte", true],
    ["STARTTLS", false],
  ])(
    "sends after a restart what it queued before, with %s and a login, and writes no secret",
    async (_how, use_ssl) => {
      const certificate = selfSigned("mail");
      const login = { username: "mailer", password: PASSWORD };
      const down = await startServer();
      await down.stop();
      const folder = newFolder();
      const trusted = newFolder();
      writeFileSync(join(trusted, "ca.pem"), certificate.cert);
      const email = { smtp_port: down.port, use_ssl, ...login };
      const env = { NODE_EXTRA_CA_CERTS: join(trusted, "ca.pem") };

      const first = await run(folder, email, env);
      expect(await createUser(first.service, TOKEN, alice)).toMatchObject({ status: 201 });
      await expect.poll(() => first.stderr()).toContain("could not be sent yet");
      expect(await first.end("SIGKILL")).toBe("SIGKILL");

      const server = await startServer({ port: down.port, certificate, implicitTls: use_ssl, login });
      const second = await run(folder, email, env);
      await delivered(server, 1);
      expect(server.mails[0]).toMatchObject({ tls: true, user: "mailer", to: ["alice@example.com"] });
      await expect.poll(() => second.stderr()).toContain("an invitation was sent");
      expect(await second.end()).toBe(0);

      const token = tokenOf(server.mails[0]!);
      const messageId = headersOf(server.mails[0]!).get("message-id") as string;
      const output =
        written(join(folder, "data")).toString("latin1") + readFileSync(join(folder, "log"), "utf8");
      const all = output + first.stderr() + first.stdout() + second.stderr() + second.stdout();
      expect(all).toContain(messageId.slice(1, 37));
      for (const secret of [token, PASSWORD]) {
        expect(all).not.toContain(secret);
        expect(all).not.toContain(Buffer.from(secret).toString("base64").replace(/=+$/, ""));
      }
    },
  );

  it("refuses an untrusted certificate", async () => {
    const server = await startServer({ certificate: selfSigned("mail"), implicitTls: true });
    const program = await run(newFolder(), { smtp_port: server.port, use_ssl: true });
    expect(await createUser(program.service, TOKEN, alice)).toMatchObject({ status: 201 });
    await expect.poll(() => program.stderr()).toContain("self-signed");
    expect(server.mails).toEqual([]);
    expect(await program.end()).toBe(0);
  });
});
