import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ACCESS_KEYS, PROXY_TOKEN, SECRET, startBehindProxy } from "../../gateways/start-behind-proxy.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { ask, basic, type Headers, READ, TOKEN, told } from "./ask.ts";

describe("what is written down (spec/security §5.2)", () => {
  const folder = temporaryFolder();

  it("refusals and decisions name the key and hold no secret, signature, cookie or token", async () => {
    const [log, audit] = [join(folder, "log"), join(folder, "audit")];
    const own = await startBehindProxy("nginx", {
      "authorizer.audit.output": audit,
      "authorizer.audit.decisions": "all",
      "logging.level": "TRACE",
      "logging.audit_log_level": "INFO",
      "logging.format": "json",
      "logging.output": log,
    });
    const at = (uri: string, ...headers: Headers) =>
      ask(own.url, "/forward-auth", [...told(uri), ...headers]);
    const key = ACCESS_KEYS.get("writer") as string;
    const scope = "20260101/us-east-1/s3/aws4_request";
    const hidden = [
      "wrong-secret-1",
      "hidden-signature-1",
      "hidden-cookie-1",
      "hidden-token-1",
      "hidden-query-1",
    ];
    const v4 = `AWS4-HMAC-SHA256 Credential=${key}/${scope}, SignedHeaders=host, Signature=hidden-signature-1`;
    await at(READ, basic("writer"));
    await at("/api/v1/repositories/other", basic("writer"));
    await at(READ, basic("writer", "wrong-secret-1"));
    await at(READ, ["Cookie", "access_token=hidden-cookie-1"]);
    await at(READ, ["Authorization", "Bearer hidden-token-1"]);
    await at("/data/main/a", ["Authorization", v4]);
    await at(
      `/data/main/a?X-Amz-Credential=${key}/${scope}&X-Amz-Signature=hidden-signature-1&p=hidden-query-1`,
    );
    await ask(own.url, "/forward-auth", [
      ...told().filter(([name]) => name !== TOKEN[0]),
      [TOKEN[0], "hidden-token-1"],
    ]);
    await own.close();
    const [logged, audited] = [log, audit].map((path) => readFileSync(path, "utf8")) as [string, string];
    for (const secret of [
      ...hidden,
      SECRET,
      PROXY_TOKEN,
      Buffer.from(`${key}:`).toString("base64").slice(0, 20),
    ]) {
      expect(logged, secret).not.toContain(secret);
      expect(audited, secret).not.toContain(secret);
    }
    const records = audited
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const keys = (kind: string) =>
      records
        .filter(({ event }) => event === kind)
        .map((record) => record.access_key_id ?? record.credential ?? null);
    expect(keys("authentication_failed")).toEqual([key, null, null, key, key, null]);
    const credential = { how: "access_key", access_key_id: key };
    expect(keys("decision")).toEqual([credential, credential]);
    expect(logged).toContain('"how":"access_key"');
  });
});
