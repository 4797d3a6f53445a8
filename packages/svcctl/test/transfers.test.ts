/** Contents that are moved when something goes wrong: what is said, the exit code, and that nothing half is left. */
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import { progressLine } from "@svc-authorizer/svcctl/transfer/progress.ts";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { svcctl } from "./run-svcctl.ts";

const PROGRAM = join(import.meta.dirname, "..", "bin", "svcctl.cjs");

type Handler = (request: IncomingMessage, response: ServerResponse, asked: number) => void | Promise<void>;

const md5 = (content: Buffer) => createHash("md5").update(content).digest("hex");
const json = (response: ServerResponse, status: number, body: object, headers = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** A server whose answer to the n-th request for a path is up to the test. */
async function server(handlers: Record<string, Handler>) {
  const counts = new Map<string, number>();
  const asked: IncomingMessage[] = [];
  const listening = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://x");
    const [, handler] = Object.entries(handlers).find(([end]) => pathname.endsWith(end)) ?? [];
    const count = (counts.get(pathname) ?? 0) + 1;
    counts.set(pathname, count);
    asked.push(request);
    if (handler === undefined) return json(response, 404, { message: "not found" });
    await handler(request, response, count);
  });
  listening.listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  const url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  const env = {
    SVCCTL_SERVER_ENDPOINT_URL: url,
    SVCCTL_CREDENTIALS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLQ",
    SVCCTL_CREDENTIALS_SECRET_ACCESS_KEY: "a-secret-for-tests",
    SVCCTL_SERVER_RETRIES_MAX_ATTEMPTS: "2",
    SVCCTL_SERVER_RETRIES_MIN_WAIT_INTERVAL: "1ms",
    SVCCTL_SERVER_RETRIES_MAX_WAIT_INTERVAL: "2ms",
  };
  return { url, env, asked };
}

const UPLOAD = ["fs", "upload", "svc://example-repo/main/a", "--source", "a", "--pre-sign=false"];

async function upload(handler: Handler, content = "content", more = {}) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "a"), content);
  const { env, asked } = await server({ "/objects": handler });
  return { ...(await svcctl(UPLOAD, { cwd, env: { ...env, ...more } })), asked };
}

const stored: Handler = async (request, response) => {
  const content = await buffer(request);
  json(response, 201, { path: "a", size_bytes: content.length, checksum: md5(content) });
};

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

const CONTENT = Buffer.from("0123456789".repeat(30_000));
const DOWNLOAD = ["fs", "download", "svc://example-repo/main/a", "a", "--pre-sign=false"];
const IN_PARTS = [...DOWNLOAD, "--part-size", "65536"];

/** A server of one object, whose content is up to the test. */
async function holding(handler: Handler, content = CONTENT, checksum = md5(content)) {
  return server({
    "/objects/stat": (_, response) =>
      void json(response, 200, { path: "a", size_bytes: content.length, checksum }),
    "/objects": handler,
  });
}

const whole =
  (content: Buffer): Handler =>
  (request, response) => {
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "");
    if (range === null) return void response.writeHead(200).end(content);
    const part = content.subarray(Number(range[1]), Number(range[2]) + 1);
    response.writeHead(206).end(part);
  };

/** Answers with so many bytes of the range at most, and then cuts the connection. */
const cutAfter =
  (bytes: number) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const [start = 0, last = 0] = (/\d+-\d+/.exec(request.headers.range ?? "")?.[0] ?? "")
      .split("-")
      .map(Number);
    const part = CONTENT.subarray(start, last + 1);
    response.writeHead(206, { "content-length": part.length });
    response.write(part.subarray(0, bytes), () => void response.socket?.end());
  };

describe("a download", () => {
  it("whose connection is cut in the middle begins anew; no other file is left", async () => {
    const cwd = temporaryFolder();
    const { env } = await holding((request, response, asked) => {
      if (asked > 1) return whole(CONTENT)(request, response, asked);
      response.writeHead(200, { "content-length": CONTENT.length });
      response.write(CONTENT.subarray(0, 1000), () => void response.destroy());
    });
    expect(await svcctl(DOWNLOAD, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(cwd)).toEqual(["a"]);
    expect(readFileSync(join(cwd, "a")).equals(CONTENT)).toBe(true);
  });

  it.each([
    ["small", 1000],
    ["large", CONTENT.length],
  ])("onto a FIFO or a device writes to it and replaces nothing: %s", async (_size, length) => {
    const cwd = temporaryFolder();
    const content = CONTENT.subarray(0, length);
    const { env } = await holding(whole(content), content);
    const fifo = join(cwd, "a");
    execFileSync("mkfifo", [fifo]);
    const [ran, read] = await Promise.all([svcctl(IN_PARTS, { cwd, env }), buffer(createReadStream(fifo))]);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(read.equals(content)).toBe(true);
    expect(lstatSync(fifo).isFIFO()).toBe(true);
    rmSync(fifo);
    symlinkSync("/dev/null", fifo);
    expect(await svcctl(IN_PARTS, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(lstatSync(fifo).isSymbolicLink()).toBe(true);
    expect(readdirSync(cwd)).toEqual(["a"]);
  });

  it("onto standard output writes nothing else there", async () => {
    const { env } = await holding(whole(CONTENT));
    const args = [PROGRAM, "fs", "download", ...DOWNLOAD.slice(2, 3), "/dev/stdout", "--pre-sign=false"];
    // The pipes of Node are sockets, which no name opens: cat makes one of the shell.
    const run = spawn("sh", ["-c", '"$0" "$@" | cat', process.execPath, ...args], {
      cwd: temporaryFolder(),
      env: { ...process.env, ...env },
    });
    const [out, said] = await Promise.all([buffer(run.stdout), text(run.stderr)]);
    expect([out.equals(CONTENT), said]).toEqual([
      true,
      "download: svc://example-repo/main/a to /dev/stdout\n",
    ]);
  });

  it("onto a FIFO fails where the content is another one, or nobody reads and somebody interrupts", async () => {
    const cwd = temporaryFolder();
    const fifo = join(cwd, "a");
    execFileSync("mkfifo", [fifo]);
    const { env } = await holding(whole(Buffer.from("other")), Buffer.from("first"));
    const [ran] = await Promise.all([svcctl(DOWNLOAD, { cwd, env }), buffer(createReadStream(fifo))]);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("a: what was written is not the content that the server describes");
    const onInterrupt = (listener: () => void): (() => void) => {
      const timer = setTimeout(listener, 50);
      return () => clearTimeout(timer);
    };
    expect(await svcctl(DOWNLOAD, { cwd, env, onInterrupt })).toMatchObject({ code: 1 });
    expect(lstatSync(fifo).isFIFO()).toBe(true);
  });

  it("that fails leaves the file that was there as it was", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a"), "before");
    const { env } = await holding((_, response) => {
      response.writeHead(200, { "content-length": CONTENT.length });
      response.write(CONTENT.subarray(0, 1000), () => void response.destroy());
    });
    const { code, stderr } = await svcctl(DOWNLOAD, { cwd, env });
    expect(code).toBe(1);
    expect(stderr).toContain("the connection ended in the middle of the content");
    expect(readdirSync(cwd)).toEqual(["a"]);
    expect(readFileSync(join(cwd, "a"), "utf8")).toBe("before");
  });

  it("in parts that fails is named, and the next one asks only for what lacks", async () => {
    const cwd = temporaryFolder();
    const broken = await holding((request, response) =>
      request.headers.range === "bytes=0-299999"
        ? cutAfter(140_000)(request, response)
        : void json(response, 400, { message: "no" }),
    );
    const first = await svcctl(IN_PARTS, { cwd, env: broken.env });
    expect(first.code).toBe(1);
    expect(first.stderr).toContain(
      `incomplete: ${join(cwd, "a.svcctl-part")} (the same command continues it)`,
    );
    expect(existsSync(join(cwd, "a"))).toBe(false);
    const good = await holding(whole(CONTENT));
    expect(await svcctl(IN_PARTS, { cwd, env: good.env })).toMatchObject({ code: 0, stderr: "" });
    const parts = good.asked.flatMap(({ headers }) => headers.range ?? []);
    expect(parts).toEqual(["bytes=131072-299999"]);
    expect(readFileSync(join(cwd, "a")).equals(CONTENT)).toBe(true);
    expect(readdirSync(cwd)).toEqual(["a"]);
  });

  it("in parts whose connection is cut goes on where it ended, as often as a part arrives", async () => {
    const cwd = temporaryFolder();
    const { env, asked } = await holding(cutAfter(70_000));
    expect(await svcctl(IN_PARTS, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "a")).equals(CONTENT)).toBe(true);
    const starts = asked.flatMap(
      ({ headers }) => /^bytes=(\d+)-299999$/.exec(headers.range ?? "")?.[1] ?? [],
    );
    expect(starts.map(Number)).toEqual([0, 70_000, 140_000, 210_000, 280_000]);
  });

  it("in parts does not go on with those of another content", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a.svcctl-part"), "x".repeat(CONTENT.length));
    const key = { size: CONTENT.length, checksum: "0".repeat(32), partSize: 65_536 };
    writeFileSync(join(cwd, "a.svcctl-parts"), `${JSON.stringify(key)}\n0\n1\n`);
    const { env } = await holding(whole(CONTENT));
    expect(await svcctl(IN_PARTS, { cwd, env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(cwd, "a")).equals(CONTENT)).toBe(true);
  });

  it.each([
    ["damaged once is fetched again", [Buffer.alloc(CONTENT.length, 1), CONTENT], 0, ""],
    [
      "damaged in different ways fails",
      [Buffer.alloc(CONTENT.length, 1), Buffer.alloc(CONTENT.length, 2)],
      1,
      "arrives damaged",
    ],
    [
      "the same twice is believed, with a warning",
      [Buffer.alloc(CONTENT.length, 1)],
      0,
      "arrived the same twice",
    ],
  ])("%s", async (_, contents, code, said) => {
    const cwd = temporaryFolder();
    const { env } = await holding((request, response, asked) =>
      whole(contents[Math.min(asked, contents.length) - 1] ?? CONTENT)(request, response, asked),
    );
    const ran = await svcctl(DOWNLOAD, { cwd, env });
    expect(ran.code).toBe(code);
    expect(ran.stderr).toContain(said);
    expect(readdirSync(cwd)).toEqual(code === 0 ? ["a"] : []);
  });

  it.each([
    ["is compared", [], true],
    ["of one answer is taken as it arrives with --no-verify", ["--no-verify"], false],
  ])("of a large content %s", async (_, options, isCompared) => {
    const cwd = temporaryFolder();
    const damaged = Buffer.alloc(CONTENT.length, 1);
    const { env } = await holding((request, response, asked) =>
      whole(asked > 1 ? CONTENT : damaged)(request, response, asked),
    );
    expect(await svcctl([...IN_PARTS, ...options], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "a")).equals(isCompared ? CONTENT : damaged)).toBe(true);
  });

  it("of a folder compares each content, of several at once too", async () => {
    const cwd = temporaryFolder();
    const names = Array.from({ length: 8 }, (_, index) => `folder/${index}`);
    const contentOf = (name: string): Buffer => Buffer.from(name.repeat(40_000));
    const results = names.map((path) => {
      const content = contentOf(path);
      return { path, path_type: "object", size_bytes: content.length, checksum: md5(content) };
    });
    const given: string[] = [];
    const { env } = await server({
      "/objects/ls": (_, response) => void json(response, 200, { results, pagination: { has_more: false } }),
      "/objects": (request, response, asked) => {
        const name = new URL(request.url ?? "", "http://x").searchParams.get("path") ?? "";
        given.push(name);
        const isDamaged = name === "folder/5" && given.filter((one) => one === name).length === 1;
        return whole(isDamaged ? Buffer.alloc(contentOf(name).length) : contentOf(name))(
          request,
          response,
          asked,
        );
      },
    });
    const options = ["--recursive", "--pre-sign=false", "--part-size", "65536"];
    const ran = await svcctl(["fs", "download", "svc://example-repo/main/folder/", ...options], { cwd, env });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    for (const name of names) {
      expect(readFileSync(join(cwd, name.slice("folder/".length))).equals(contentOf(name))).toBe(true);
    }
    expect(given.toSorted()).toEqual([...names, "folder/5"].toSorted());
  });

  it("that goes on with damaged parts notices, and begins anew", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "a.svcctl-part"), Buffer.alloc(CONTENT.length, 1));
    const key = { size: CONTENT.length, checksum: md5(CONTENT), partSize: 65_536 };
    writeFileSync(join(cwd, "a.svcctl-parts"), `${JSON.stringify(key)}\n0\n1\n`);
    const { env } = await holding(whole(CONTENT));
    expect(await svcctl(IN_PARTS, { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "a")).equals(CONTENT)).toBe(true);
    expect(readdirSync(cwd)).toEqual(["a"]);
  });

  it("that is interrupted ends at once, and says what is left", async () => {
    const cwd = temporaryFolder();
    let interrupt = () => {};
    const { env } = await holding((_, response) => {
      response.writeHead(206, { "content-length": CONTENT.length }).write(CONTENT.subarray(0, 70_000));
      const list = join(cwd, "a.svcctl-parts");
      const timer = setInterval(() => {
        if (!existsSync(list) || !readFileSync(list, "utf8").endsWith("}\n0\n")) return;
        clearInterval(timer);
        interrupt();
      }, 1);
    });
    const ran = await svcctl(IN_PARTS, {
      cwd,
      env,
      onInterrupt: (listener) => {
        interrupt = listener;
        return () => {};
      },
    });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toBe(
      `incomplete: ${join(cwd, "a.svcctl-part")} (the same command continues it)\ninterrupted\nError executing command.\n`,
    );
  });

  it("in parts past the server compares the whole, whatever order they come in", async () => {
    const cwd = temporaryFolder();
    const content = Buffer.concat([CONTENT, CONTENT, CONTENT, CONTENT]);
    const data = await server({
      "/config": (_, response) => void json(response, 200, { storage_config: { pre_sign_support: true } }),
      "/objects/stat": (_, response) =>
        void json(response, 200, { path: "a", size_bytes: content.length, checksum: md5(content) }),
      "/objects": async (request, response, asked) => {
        // The first run of parts comes last, and damaged the first time.
        if (asked === 1)
          await expect.poll(() => data.asked.filter(({ headers }) => headers.range).length).toBe(3);
        whole(asked === 1 ? Buffer.alloc(content.length) : content)(request, response, asked);
      },
    });
    const args = ["fs", "download", "svc://example-repo/main/a", "a", "--part-size", "65536"];
    const ran = await svcctl(args, { cwd, env: data.env });
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
    expect(readFileSync(join(cwd, "a")).equals(content)).toBe(true);
    expect(data.asked.filter(({ headers }) => headers.range)).toHaveLength(6);
  });

  it("with a pre-signed URL shows the credentials to no other server", async () => {
    const cwd = temporaryFolder();
    const store = await server({ "/stored": (_, response) => void response.writeHead(200).end(CONTENT) });
    const config = { storage_config: { pre_sign_support: true } };
    const data = await server({
      "/config": (_, response) => void json(response, 200, config),
      "/objects": (_, response) =>
        void response.writeHead(302, { location: `${store.url}/stored?X-Amz-Signature=s` }).end(),
    });
    const { code, stdout } = await svcctl(["fs", "cat", "svc://example-repo/main/a"], { cwd, env: data.env });
    expect({ code, length: stdout.length }).toEqual({ code: 0, length: CONTENT.length });
    expect(data.asked.at(-1)?.headers.authorization).toMatch(/^Basic /);
    expect(store.asked[0]?.headers.authorization).toBeUndefined();
  });

  it.each(["../evil", "a/../../evil", "/../evil"])(
    "of an object named %s does not leave its folder",
    async (name) => {
      const cwd = temporaryFolder();
      const entry = { path: `data/${name}`, path_type: "object", size_bytes: 1, checksum: "x" };
      const { env } = await server({
        "/objects/ls": (_, response) =>
          void json(response, 200, { results: [entry], pagination: { has_more: false } }),
        "/objects": (_, response) => void response.writeHead(200).end("x"),
      });
      const args = ["fs", "download", "svc://example-repo/main/data/", "in", "-r", "--pre-sign=false"];
      const { code, stderr } = await svcctl(args, { cwd, env });
      expect(code).toBe(1);
      expect(stderr).toContain("bad path traversal blocked");
      expect(existsSync(join(cwd, "evil"))).toBe(false);
    },
  );
});

describe("work on several items at once", () => {
  it("never has more under way than it may, and does them all", async () => {
    let [running, most, done] = [0, 0, 0];
    const items = Array.from({ length: 50 }, (_, index) => index);
    await forEachParallel(items, 7, async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, item % 3));
      running -= 1;
      done += 1;
    });
    expect({ most, done, running }).toEqual({ most: 7, done: 50, running: 0 });
  });

  it("ends with the first failure, which the others are told", async () => {
    let told = 0;
    const work = forEachParallel([1, 2, 3, 4], 2, async (item, signal) => {
      if (item === 2) throw new Error("two");
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      told += 1;
    });
    await expect(work).rejects.toThrow("two");
    expect(told).toBe(1);
  });
});

describe("the line of a progress bar", () => {
  it.each([
    [0, 0, 0, "Up [--------------------] 0% 0 B of 0 B, 0 B/s"],
    [500_000, 2_000_000, 1, "Up [#####---------------] 25% 500.0 kB of 2.0 MB, 500.0 kB/s, 3 s left"],
    [2_000_000, 2_000_000, 2, "Up [####################] 100% 2.0 MB of 2.0 MB, 1.0 MB/s"],
  ])("%d of %d in %d s", (done, total, seconds, text) => {
    expect(progressLine("Up", done, total, seconds)).toBe(text);
  });
});
