import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { svcctl } from "../run-svcctl.ts";
import { type Handler, json, md5, server, stored, UPLOAD, upload } from "./transfer-server.ts";

describe("an upload", () => {
  it("whose connection is cut in the middle begins anew", async () => {
    const content = "x".repeat(3_000_000);
    const ran = await upload((request, response, asked) => {
      if (asked > 1) return stored(request, response, asked);
      request.once("data", () => void request.socket.destroy());
    }, content);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toContain("Size: 3000000 bytes");
    expect(ran.asked).toHaveLength(2);
  });

  it("whose connection is cut each time fails, and says how often it was tried", async () => {
    const { code, stderr } = await upload((request) => void request.socket.destroy(), "x".repeat(3_000_000));
    expect(code).toBe(1);
    expect(stderr).toMatch(/giving up after 3 attempt\(s\): (socket hang up|read ECONNRESET|write E\w+)\n/);
  });

  it.each([429, 503])("waits after %d as long as the server asks, and goes on", async (status) => {
    const times: number[] = [];
    const waiting = { SVCCTL_SERVER_RETRIES_MAX_WAIT_INTERVAL: "5s" };
    const handler: Handler = (request, response, asked) => {
      times.push(performance.now());
      if (asked > 1) return stored(request, response, asked);
      request.resume();
      json(response, status, { message: "slow down" }, { "retry-after": "1" });
    };
    const ran = await upload(handler, "content", waiting);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    // Timers may fire a little early.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(950);
  });

  it("in parts that fails gives up the parts that arrived, and says why it failed", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a"), "x".repeat(11_000_000));
    const store = await server({
      "/1": async (request, response) => {
        // The other parts end when one fails.
        const content = await buffer(request).catch(() => undefined);
        if (content === undefined) return;
        response.writeHead(200, { etag: `"${md5(content)}"` }).end();
      },
      "/2": (request, response) => {
        request.resume();
        response.writeHead(403).end("<Error><Message>Request has expired</Message></Error>");
      },
    });
    const given: string[] = [];
    const data = await server({
      "/config": (_, response) =>
        void json(response, 200, {
          storage_config: { pre_sign_support: true, pre_sign_multipart_upload: true },
        }),
      "/pmpu": (_, response) =>
        void json(response, 201, {
          upload_id: "upload",
          physical_address: "s3://bucket/address",
          presigned_urls: ["/1", "/2", "/1"].map((path) => `${store.url}${path}`),
        }),
      "/pmpu/upload": async (request, response) => {
        given.push(`${request.method} ${(await buffer(request)).toString()}`);
        response.writeHead(204).end();
      },
    });
    const { code, stderr, stdout } = await svcctl(UPLOAD.slice(0, -1), { cwd, env: data.env });
    expect({ code, stderr, stdout }).toEqual({
      code: 1,
      stderr: "Request has expired\n403 Forbidden\n",
      stdout: "",
    });
    expect(given).toEqual(['DELETE {"physical_address":"s3://bucket/address"}']);
  });

  it("of a folder that fails names the file, and says nothing of a success", async () => {
    const cwd = temporaryFolder();
    mkdirSync(join(cwd, "in"));
    for (const name of ["a", "b"]) writeFileSync(join(cwd, "in", name), name);
    const { env } = await server({
      "/objects/ls": (_, response) =>
        void json(response, 200, { results: [], pagination: { has_more: false } }),
      "/objects": (request, response, asked) => {
        if (request.url?.includes("path=b")) {
          request.resume();
          return void json(response, 403, { message: "not allowed" });
        }
        return stored(request, response, asked);
      },
    });
    const args = [
      "fs",
      "upload",
      "svc://example-repo/main/",
      "-s",
      "in",
      "-r",
      "--pre-sign=false",
      "-p",
      "1",
    ];
    const { code, stderr, stdout } = await svcctl(args, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toBe("upload b failed: not allowed\nError executing command.\n");
    expect(stdout).not.toContain("Summary");
  });

  it.each([
    [
      503,
      "too busy",
      /giving up after 3 attempt\(s\): too busy \(503 Service Unavailable\)\nError executing command\.\n$/,
    ],
    [401, "error authenticating request", /^error authenticating request\n401 Unauthorized\n$/],
    [412, "path already exists", /^path already exists\n412 Precondition Failed\n$/],
  ])("that is refused with %d says so", async (status, message, expected) => {
    const { code, stderr } = await upload((request, response) => {
      request.resume();
      json(response, status, { message });
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(expected);
  });

  it("whose content arrives as another one fails", async () => {
    const { code, stderr } = await upload(async (request, response) => {
      await buffer(request);
      json(response, 201, { path: "a", size_bytes: 7, checksum: md5(Buffer.from("other")) });
    });
    expect(code).toBe(1);
    expect(stderr).toContain("upload of a: checksum 9a0364b9e99bb480dd25e1f0284c8555 was sent, and");
  });

  it.each([
    ["fails", [], 1],
    ["is taken as it arrives with --no-verify", ["--no-verify"], 0],
  ])("whose large content arrives as another one %s", async (_, options, expected) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a"), "x".repeat(2_000_000));
    const { env } = await server({
      "/objects": async (request, response) => {
        const content = await buffer(request);
        json(response, 201, { path: "a", size_bytes: content.length, checksum: md5(Buffer.from("other")) });
      },
    });
    const { code, stderr } = await svcctl([...UPLOAD, ...options], { cwd, env });
    const sent = md5(Buffer.from("x".repeat(2_000_000)));
    expect(code).toBe(expected);
    if (expected === 1) expect(stderr).toContain(`upload of a: checksum ${sent} was sent, and`);
  });

  it("to a server that is not there names it", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a"), "content");
    const env = { SVCCTL_SERVER_ENDPOINT_URL: "http://127.0.0.1:1", SVCCTL_SERVER_RETRIES_ENABLED: "false" };
    const { code, stderr } = await svcctl(UPLOAD, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'Post "http://127.0.0.1:1/api/v1/repositories/example-repo/branches/main/objects?path=a": connect ECONNREFUSED',
    );
  });
});
