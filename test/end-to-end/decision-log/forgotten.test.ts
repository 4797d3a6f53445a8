import { afterAll, expect, it } from "vitest";
import { svcctl } from "../../../packages/svcctl/test/run-svcctl.ts";
import { openData, openLog } from "../../../src/compose/data.ts";
import { startService } from "../../../src/compose/service.ts";
import { configFromObject } from "../../../src/config/load.ts";
import { cleanUp, newFolder } from "../program.ts";

const SECRET = "a-secret-of-root-0123456789";
const KEY = "AKIAJROOTROOTROOTROQ";

afterAll(cleanUp);

it("a record whose directory is no longer kept is shown, and explaining it ends with exit code 1", async () => {
  const { values } = configFromObject(
    {
      "authorizer.decision_log.include": "all",
      "authorizer.decision_log.directory": newFolder(),
      "authorizer.node_name": "node-1",
    },
    {
      "database.type": "mem",
      listen_address: "127.0.0.1:0",
      "authorizer.listen_address": "127.0.0.1:0",
      "authorizer.metrics_address": "127.0.0.1:0",
      "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
      "auth.api.token": "a-token-that-only-this-test-knows-0123456789",
      "logging.level": "NONE",
    },
  );
  const data = await openData(values, openLog(values));
  const service = await startService(data, { version: "1.0.0", env: () => undefined });
  try {
    const { directory, store } = data;
    await directory.policies.create({
      name: "All",
      statement: [{ effect: "allow", action: ["*"], resource: "*" }],
    });
    await directory.users.create({ username: "root" });
    await directory.users.attachPolicy("root", "All");
    await directory.credentials.create("root", { access_key_id: KEY, secret_access_key: SECRET });
    const env = {
      SVCCTL_SERVER_ENDPOINT_URL: service.addresses.user,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: KEY,
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: SECRET,
    };
    const listed = await svcctl(["decisions", "list", "--amount", "1", "--json"], { env });
    await svcctl(["decisions", "list"], { env });
    const then = await svcctl(["decisions", "list", "--amount", "1", "--json"], { env });
    expect(listed.code, listed.stderr).toBe(0);
    const [{ id }] = JSON.parse(then.stdout).results as [{ id: string }];
    expect((await svcctl(["decisions", "show", id, "--explain"], { env })).code).toBe(0);

    await directory.users.create({ username: "later" });
    await store.history.forgetPast();
    const keptFrom = await store.history.keptFrom();
    const shown = await svcctl(["decisions", "show", id, "--explain"], { env });
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain(id);
    expect(shown.stderr).toContain(`history is kept from revision ${keptFrom} on`);
    const basic = Buffer.from(`${KEY}:${SECRET}`).toString("base64");
    const answer = await fetch(`${service.addresses.user}/api/v1/decisions/${id}?explain=true`, {
      headers: { authorization: `Basic ${basic}` },
    });
    expect(answer.status).toBe(410);
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining("no longer kept") });
    expect((await svcctl(["decisions", "show", id], { env })).code).toBe(0);
  } finally {
    await service.stop();
  }
});
