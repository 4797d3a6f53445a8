import { formatProblem } from "@svc-authorizer/policy/source-files/configuration/problem.ts";
import { expect, it, onTestFinished } from "vitest";
import { onlineFindings } from "../../src/compose/online-findings.ts";
import { type ConfigObject, configFromObject } from "../../src/config/load.ts";
import { freePort } from "../free-port.ts";
import { type OneKeyServer, startOneKeyServer } from "./one-key-server.ts";
import { EXCHANGE, S3_DOMAIN } from "./start-exchange.ts";

async function found(port: number | undefined, more: ConfigObject = {}) {
  const streaming = {
    "authorizer.exchange.streaming_address": "127.0.0.1:8004",
    "authorizer.exchange.upstream": `http://127.0.0.1:${port}`,
  };
  const config = {
    ...EXCHANGE,
    "gateways.s3.domain_name": S3_DOMAIN,
    ...(port === undefined ? {} : streaming),
  };
  const loaded = configFromObject({ ...config, ...more }, {}, { requirements: "none" });
  const { problems, warnings } = await onlineFindings(loaded);
  return {
    problems: problems.map(formatProblem).join("\n"),
    warnings: warnings.map(formatProblem).join("\n"),
  };
}

async function dataServer(repositories: readonly string[] = []): Promise<OneKeyServer> {
  const server = await startOneKeyServer(repositories);
  onTestFinished(() => server.close());
  return server;
}

it("a data server that takes the key is told to have hooks off, since it does not say whether they run", async () => {
  const server = await dataServer(["data"]);
  const { problems, warnings } = await found(server.port);
  expect(problems).toBe("");
  expect(warnings).toContain("LAKEFS_ACTIONS_ENABLED=false");
  // The key, the S3 gateway, the list, and its repository.
  expect(server.served.length).toBeGreaterThanOrEqual(4);
});

it("a data server that refuses the key, or is away, is a problem that shows no secret", async () => {
  const server = await dataServer();
  const other = "another-secret-than-that-of-the-data-server";
  const refused = await found(server.port, { "authorizer.exchange.secret_access_key": other });
  expect(refused.problems).toMatch(/access_key_id: the data server .* does not take it: 401/);
  expect(JSON.stringify(refused)).not.toContain(other);
  expect((await found(await freePort())).problems).toMatch(/upstream: the data server does not answer/);
});

it("without a data server to ask, says what is missing", async () => {
  const { problems, warnings } = await found(undefined);
  expect([problems, warnings]).toEqual(["", expect.stringContaining("signed in chunks are refused")]);
});
