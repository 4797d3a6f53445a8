import { readFileSync } from "node:fs";
import { devNull } from "node:os";
import { startAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterEach, describe, expect, it } from "vitest";
import { startServer, stopServers } from "../../mail/mail-server.ts";
import { CONVERSATIONS, PARTITION, prepareStore } from "./recorded-stores.ts";
import { type Recorded, Replay } from "./replay.ts";

function conversation(name: string): Recorded[] {
  const file = new URL(`../../../fixtures/conversations/${name}.jsonl`, import.meta.url);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Recorded);
}

afterEach(() => stopServers());

describe("a recorded conversation", () => {
  it.each(CONVERSATIONS)("%s gets the recorded answers", async (name) => {
    const mail = await startServer();
    const authorizer = await startAuthorizer({
      config: {
        "authorizer.partition": PARTITION,
        "authorizer.guards": "lenient",
        "authorizer.audit.output": devNull,
        "email.smtp_host": "127.0.0.1",
        "email.smtp_port": mail.port,
        "email.sender": "data@example.com",
      },
    });
    const exchanges = conversation(name);
    await prepareStore(name, authorizer.directory, exchanges);
    const replay = new Replay(authorizer.url, authorizer.token, exchanges);
    const found: string[] = [];
    for (const [line, recorded] of exchanges.entries()) {
      for (const difference of await replay.differences(recorded)) {
        found.push(`${line + 1} ${recorded.method} ${recorded.url} ${difference}`);
      }
    }
    replay.close();
    await authorizer.close();
    expect(found).toEqual([]);
  });
});
