import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { cleanUp, newFolder, start, writeConfig } from "../../../test/end-to-end/program.ts";

afterAll(cleanUp);

it("ui.enabled: false leaves the console out, and the API as it is", async () => {
  const folder = newFolder();
  const config = {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "database.type": "local",
    "database.local.path": join(folder, "data"),
    "auth.encrypt.secret_key": "a-secret-key-that-only-this-test-knows-0123456789",
    "ui.enabled": false,
  };
  const program = await start(["--config", writeConfig(folder, config)], folder);
  for (const path of ["/", "/login", "/users", "/assets/index.js", "/help"]) {
    expect((await fetch(program.user + path)).status, path).toBe(404);
  }
  expect((await fetch(`${program.user}/api/v1/setup`)).status).toBe(200);
  expect(await program.end()).toBe(0);
});
