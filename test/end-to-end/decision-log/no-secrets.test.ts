import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { linesOf, segmentTexts } from "../../decision-log/test-log.ts";
import { cleanUp, newFolder, start, writeConfig } from "../program.ts";

const TOKEN = "a-token-that-only-this-test-knows-0123456789";
const SECRET_KEY = "a-secret-key-that-only-this-test-knows-0123456789";
const KEY = "AKIAJALICEALICEALICQ";
const SECRET = "a-secret-of-alice-0123456789";

afterAll(cleanUp);

it("no record has a token, a secret, a masked value or the body of a request", async () => {
  const folder = newFolder();
  const directory = join(folder, "decisions");
  const condition = { IpAddress: { SourceIp: ["198.51.100.0/24"] } };
  const dataset = {
    format: 1,
    users: [
      {
        username: "masked-alice",
        policies: ["Read"],
        credentials: [{ access_key_id: KEY, secret_access_key: SECRET }],
      },
    ],
    policies: [
      { name: "Read", statement: [{ effect: "allow", action: ["fs:*"], resource: "*", condition }] },
    ],
  };
  const config = writeConfig(folder, {
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "authorizer.node_name": "node-1",
    "authorizer.datasets": [writeConfig(folder, dataset, "dataset.json")],
    "authorizer.decision_log.include": "all",
    "authorizer.decision_log.directory": directory,
    "authorizer.decision_log.mask": ["SourceIp", "/subject/id", "/caller/name"],
    "database.type": "mem",
    "auth.encrypt.secret_key": SECRET_KEY,
    "auth.api.token": TOKEN,
  });
  const program = await start(["--config", config], folder);
  const post = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${program.service}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).toBe(200);
  };
  const user = "masked-alice";
  const context = { SourceIp: "198.51.100.77", note: "unread-field" };
  const resource = { type: "object", id: "data/a" };
  const subject = { type: "user", id: user, properties: { hint: "unread-property" } };
  const required = { action: "fs:ReadObject", resource: "arn:svc:fs:::repository/data/object/a" };
  await post("/access/v1/check", { user, required, context: { SourceIp: "198.51.100.77" } });
  await post("/access/v1/evaluation", { subject, action: { name: "read" }, resource, context });
  const evaluations = [{ resource }, { resource: { type: "object", id: "data/b" } }];
  await post("/access/v1/evaluations", { subject, action: { name: "read" }, context, evaluations });
  await post("/access/v1/filter", { user, action: required.action, resources: [required.resource] });
  await post("/access/v1/request", {
    user,
    api: "main",
    method: "POST",
    path: "/api/v1/repositories/data/branches",
    body: { name: "made", source: "main", note: "text-of-a-body" },
  });
  await fetch(`${program.user}/api/v1/auth/users`, {
    headers: { authorization: `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}` },
  });
  expect(await program.end()).toBe(0);
  const chain = join(directory, "node-1-0");
  const entrances = linesOf(chain).map((line) => ("entrance" in line ? line.entrance : ""));
  for (const entrance of ["check", "evaluation", "evaluations", "filter", "request", "management"]) {
    expect(entrances).toContain(entrance);
  }
  const texts = segmentTexts(chain).join("\n");
  expect(texts).toContain("masked:");
  const hidden = [
    TOKEN,
    SECRET_KEY,
    SECRET,
    user,
    "198.51.100.77",
    "text-of-a-body",
    "unread-field",
    "unread-property",
  ];
  for (const text of hidden) expect(texts, text).not.toContain(text);
});
