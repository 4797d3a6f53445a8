/** Downloads when something goes wrong: what is said, the exit code, and that nothing half is left. */
import { execFileSync, spawn } from "node:child_process";
import {
  createReadStream,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buffer, text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { svcctl } from "../run-svcctl.ts";
import {
  CONTENT,
  cutAfter,
  DOWNLOAD,
  holding,
  IN_PARTS,
  json,
  md5,
  server,
  whole,
} from "./transfer-server.ts";

const PROGRAM = join(import.meta.dirname, "..", "..", "bin", "svcctl.cjs");

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
