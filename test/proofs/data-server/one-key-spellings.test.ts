/**
 * The owner of one repository of a real data server with one key tries odd spellings and frames (fixtures/exchange/attacks.yaml)
 * to write hooks and to read another repository. Answers say little, since many requests are harmless as the data server reads
 * them: what is there afterwards counts.
 */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { canonicalPath } from "../../../src/identity/signature/uri-encoding.ts";
import { rawRequest } from "../../exchange/raw-request.ts";
import { ACCESS_KEYS, basicOf, S3_DOMAIN, SECRET, timestamp } from "../../exchange/start-exchange.ts";
import { missing } from "../../gateways/proxy-program.ts";
import { sign } from "../../identity/naive-signer.ts";
import { type BehindOneKey, OF_OTHERS, startBehindOneKey } from "./behind-one-key.ts";
import { givenDataServer } from "./given-data-server.ts";

const given = givenDataServer();
const CASES = parse(
  readFileSync(new URL("../../../fixtures/exchange/attacks.yaml", import.meta.url), "utf8"),
) as {
  readonly hook_keys: readonly string[];
  readonly queries: readonly string[];
  readonly main_targets: readonly string[];
  readonly s3_targets: readonly (readonly [string, string])[];
  readonly copy_sources: readonly string[];
  readonly heads: readonly (readonly string[])[];
};
const HOOK = `name: theft
on: {pre-commit: }
hooks:
  - {id: theft, type: lua, properties: {script: 'require("lakefs").create_tag("other", "main", "stolen")'}}
`;
const OBJECTS = "/api/v1/repositories/data/branches/main/objects";
const SECRET_OF_OTHERS = "/api/v1/repositories/other/refs/main/objects?path=secret.txt";

/** Lines of a signed request, whose path is signed as the service reads it. */
function signedLines(
  method: string,
  host: string,
  target: string,
  more: Readonly<Record<string, string>> = {},
): string[] {
  const [path = "", query = ""] = target.split("?");
  const stamp = timestamp();
  const { headers } = sign({
    ...{ form: "header", method, path, signedPath: canonicalPath(path) ?? path },
    query: [...new URLSearchParams(query)],
    headers: { host, ...more },
    ...{ accessKeyId: ACCESS_KEYS.get("writer") ?? "", secret: SECRET, timestamp: stamp, expires: "" },
    ...{ payload: "UNSIGNED-PAYLOAD", algorithm: "AWS4-HMAC-SHA256" },
    scope: [stamp.slice(0, 8), "us-east-1", "s3", "aws4_request"],
  });
  return [`${method} ${target} HTTP/1.1`, ...[...headers].map(([name, value]) => `${name}: ${value}`)];
}

describe.skipIf(given === undefined || missing("nginx") !== undefined)(
  "attacks on a data server with one user, by spelling and frame",
  () => {
    let servers: BehindOneKey;
    let port = 0;
    const upload = ["Content-Type: application/octet-stream", `Content-Length: ${HOOK.length}`];
    const main = () => ["Host: data.example.com", `Authorization: ${basicOf("writer")}`];
    beforeAll(async () => {
      servers = await startBehindOneKey(given as NonNullable<typeof given>);
      port = Number(new URL(servers.url).port);
      expect((await servers.upload("writer", "data", "plain.yaml", HOOK)).status).toBe(201);
    });
    afterAll(() => servers?.close());

    it("no key and no query of the main API writes a hook", async () => {
      const [hook = ""] = CASES.hook_keys;
      const queries = [
        ...CASES.hook_keys.map((key) => `path=${key}`),
        ...CASES.queries.map((query) => query.replace("KEY", hook)),
      ];
      const copy = JSON.stringify({ src_path: "plain.yaml", src_ref: "main" });
      for (const query of queries) {
        await rawRequest(port, [`POST ${OBJECTS}?${query} HTTP/1.1`, ...main(), ...upload], HOOK);
        const to = `POST ${OBJECTS}/copy?${query.replaceAll("path", "dest_path")} HTTP/1.1`;
        const json = ["Content-Type: application/json", `Content-Length: ${copy.length}`];
        await rawRequest(port, [to, ...main(), ...json], copy);
      }
    });

    it("no key of S3 writes a hook", async () => {
      for (const key of CASES.hook_keys) {
        for (const [host, target] of [
          [S3_DOMAIN, `/data/main/${key}`],
          [S3_DOMAIN, `/data/main%2F${key}`],
          [S3_DOMAIN, `//data//main/${key}`],
          [`data.${S3_DOMAIN}`, `/main/${key}`],
          [`data.${S3_DOMAIN}`, `/main%2F${key}`],
        ] as const) {
          await rawRequest(port, [...signedLines("PUT", host, target), ...upload], HOOK);
        }
      }
    });

    it.each(CASES.main_targets)("%s reads nothing of others", async (target) => {
      const { text } = await rawRequest(port, [`GET ${target} HTTP/1.1`, ...main()]);
      expect(text).not.toContain(OF_OTHERS);
    });

    it.each(CASES.s3_targets)("S3 by host %s: %s reads nothing of others", async (host, target) => {
      expect((await rawRequest(port, signedLines("GET", host, target))).text).not.toContain(OF_OTHERS);
    });

    it("no source of a copy is another's", async () => {
      for (const [index, source] of CASES.copy_sources.entries()) {
        const from = { "x-amz-copy-source": source };
        const empty = ["Content-Length: 0"];
        for (const target of [`/data/main/stolen-${index}`, "/data/main/part?partNumber=1&uploadId=u"]) {
          const { text } = await rawRequest(port, [...signedLines("PUT", S3_DOMAIN, target, from), ...empty]);
          expect(text).not.toContain(OF_OTHERS);
        }
      }
    });

    it.each(CASES.heads)(
      "the frame of %s lets no second request through: %s %s %s %s %s",
      async (...head) => {
        const lines = head.map((line) => line.replace("AUTH", basicOf("writer")));
        const second = `GET ${SECRET_OF_OTHERS} HTTP/1.1\r\nHost: x\r\n\r\n`;
        for (const body of [
          second,
          `0\r\n\r\n${second}`,
          `0;x=y\r\n${second}`,
          `3\r\nabc\r\n0\r\n\r\n${second}`,
        ]) {
          const { text } = await rawRequest(port, lines, body);
          expect(text).not.toContain(OF_OTHERS);
        }
      },
    );

    it("left nothing: no hook, no content of others, and others as they were", async () => {
      const results = async (path: string) => {
        const answer = await servers.api("administrator", "GET", path);
        expect(answer.status, path).toBe(200);
        return ((await answer.json()) as { results: Record<string, unknown>[] }).results;
      };
      const [secret] = await results("/repositories/other/refs/main/objects/ls");
      const branch = { name: "new", source: "main" };
      await servers.api("writer", "POST", "/repositories/data/branches/main/commits", { message: "all" });
      await servers.api("writer", "POST", "/repositories/data/branches", branch);
      await servers.api("writer", "POST", "/repositories/data/branches/new/objects?path=a", "a");
      await servers.api("writer", "POST", "/repositories/data/branches/new/commits", { message: "last" });
      const held = await results("/repositories/data/refs/main/objects/ls?amount=1000");
      // Harmless spellings are keys of their own: the requests did arrive.
      expect(held.length).toBeGreaterThan(3);
      for (const { path, checksum } of held) {
        expect(String(path)).not.toMatch(/^\/*_lakefs_actions\//);
        expect(checksum).not.toBe(secret?.["checksum"]);
      }
      expect(await results("/repositories/data/actions/runs")).toEqual([]);
      expect(await results("/repositories/other/tags")).toEqual([]);
      expect(await results("/repositories/other/branches")).toHaveLength(1);
      expect(await results("/repositories/other/refs/main/commits")).toHaveLength(1);
      expect(await results("/repositories/other/refs/main/objects/ls")).toHaveLength(1);
    });
  },
);
