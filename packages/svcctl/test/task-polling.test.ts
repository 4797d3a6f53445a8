/** Tasks of a data server that does not say when they moved. */

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { svcctl } from "./run-svcctl.ts";

it("a task that never says when it moved is given up after its time", async () => {
  const server = createServer((request, response) => {
    const [status, body] = request.method === "POST" ? [202, { id: "task" }] : [200, { done: false }];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const line = ["refs-dump", "svc://repo", "--poll-interval", "1s", "--timeout", "1500ms"];
  const { code, stderr } = await svcctl(line, {
    cwd: temporaryFolder(),
    env: {
      SVCCTL_SERVER_ENDPOINT_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "KEY",
      SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "SECRET",
    },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("task not completed")]);
});
