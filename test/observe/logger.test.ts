import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import {
  createLogger,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from "../../src/observe/log/logger.ts";
import { runModule, temporaryFolder } from "./child.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

let files = 0;
const newPath = (): string => join(folder.path, `case-${files++}`, "server.log");

const defaults: Omit<LoggerOptions, "outputs"> = {
  format: "json",
  level: "INFO",
  auditLevel: "DEBUG",
  filesKeep: 0,
  fileMaxSizeMb: 100,
};

const linesOf = (path: string): string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);

async function logged(options: Partial<LoggerOptions>, write: (logger: Logger) => void): Promise<string[]> {
  const path = newPath();
  const logger = createLogger({ ...defaults, ...options, outputs: [path] });
  write(logger);
  await logger.close();
  return existsSync(path) ? linesOf(path) : [];
}

const writeAllLevels = (logger: Logger): void => {
  for (const level of ["trace", "debug", "info", "warn", "error", "audit", "always"] as const)
    logger[level](level);
};

describe("levels", () => {
  it.each<[LogLevel, LogLevel, string[]]>([
    ["TRACE", "TRACE", ["trace", "debug", "info", "warn", "error", "audit", "always"]],
    ["DEBUG", "DEBUG", ["debug", "info", "warn", "error", "audit", "always"]],
    ["INFO", "DEBUG", ["info", "warn", "error", "always"]],
    ["WARN", "INFO", ["warn", "error", "always"]],
    ["ERROR", "ERROR", ["error", "audit", "always"]],
    ["TRACE", "NONE", ["trace", "debug", "info", "warn", "error", "always"]],
    ["NONE", "ERROR", ["always"]],
    ["NONE", "NONE", ["always"]],
  ])("%s with audit level %s", async (level, auditLevel, expected) => {
    const lines = await logged({ level, auditLevel }, writeAllLevels);
    expect(lines.map((line) => JSON.parse(line).message)).toEqual(expected);
  });

  it("fields given as a function are not computed when the level is off", async () => {
    let computed = 0;
    const fields = () => ({ computed: ++computed });
    await logged({ level: "INFO" }, (logger) => {
      logger.debug("off", fields);
      logger.audit("off", fields);
      expect(logger.enabled("DEBUG")).toBe(false);
      expect(logger.enabled("INFO")).toBe(true);
      expect(logger.auditEnabled).toBe(false);
      expect(computed).toBe(0);
      logger.info("on", fields);
    });
    expect(computed).toBe(1);
  });
});

describe("entries", () => {
  it("as JSON have time, level, fields and message, with secrets replaced", async () => {
    const [line] = await logged({}, (logger) => logger.info("hello", { user: "a\nb", token: "t0ps3cret" }));
    const entry = JSON.parse(line as string);
    expect(entry).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      user: "a\nb",
      token: "<redacted>",
      message: "hello",
    });
  });

  it("as text are one line without colours", async () => {
    const [line] = await logged({ format: "text" }, (logger) =>
      logger.warn("hello", { user: "a\nb\u001b[1m" }),
    );
    expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z WARN {2}hello user="a\\nb\\u001b\[1m"$/);
  });

  it("with field names of Object.prototype are valid JSON", async () => {
    const [line] = await logged({}, (logger) =>
      logger.info("x", JSON.parse('{"constructor":"y","__proto__":"z"}')),
    );
    expect(JSON.parse(line as string)).toMatchObject({ "fields.constructor": "y", "fields.__proto__": "z" });
  });
});

describe("files", () => {
  it("several outputs get every line, and a path named twice gets it once", async () => {
    const [first, second] = [newPath(), newPath()];
    const logger = createLogger({ ...defaults, outputs: [first, second, first] });
    logger.info("one");
    await logger.close();
    expect(linesOf(first)).toEqual(linesOf(second));
    expect(linesOf(first)).toHaveLength(1);
  });

  it("are created with mode 600 in a folder that is created too", async () => {
    const path = newPath();
    const logger = createLogger({ ...defaults, outputs: [path] });
    logger.info("one");
    await logger.close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  async function fill(keep: number): Promise<{ path: string; names: string[]; lines: string[] }> {
    const path = newPath();
    const logger = createLogger({ ...defaults, outputs: [path], filesKeep: keep, fileMaxSizeMb: 0.25 });
    const text = "x".repeat(1_000);
    for (let index = 0; index < 1_500; index++) {
      logger.info("filled", { index, text });
      if (index % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await logger.close();
    const names = readdirSync(join(path, ".."))
      .filter((name) => name.endsWith(".log"))
      .sort();
    return { path, names, lines: names.flatMap((name) => linesOf(join(path, "..", name))) };
  }

  it("rotate by size and keep all with files_keep 0, without losing or splitting a line", async () => {
    const { path, names, lines } = await fill(0);
    expect(names.length).toBeGreaterThan(4);
    expect(
      names.filter((name) => /^server-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}(\.\d+)?\.log$/.test(name)),
    ).toHaveLength(names.length - 1);
    const indexes = lines.map((line) => JSON.parse(line).index as number).sort((a, b) => a - b);
    expect(indexes).toEqual(Array.from({ length: 1_500 }, (_, index) => index));
    for (const name of names) {
      const { size, mode } = statSync(join(path, "..", name));
      expect(size).toBeLessThan(0.25 * 1024 * 1024 + 70_000);
      expect(mode & 0o777).toBe(0o600);
    }
  });

  it("keep only the newest with files_keep", async () => {
    const { names, lines } = await fill(2);
    expect(names).toHaveLength(3);
    expect(Math.max(...lines.map((line) => JSON.parse(line).index as number))).toBe(1_499);
  });

  it("moved away by others are opened anew by reopen", async () => {
    for (const fileMaxSizeMb of [100, 0]) {
      const path = newPath();
      const logger = createLogger({ ...defaults, outputs: [path], fileMaxSizeMb });
      logger.info("before");
      while (!existsSync(path) || linesOf(path).length === 0)
        await new Promise((resolve) => setTimeout(resolve, 2));
      renameSync(path, `${path}.1`);
      logger.reopen();
      logger.info("after");
      await logger.close();
      expect(linesOf(`${path}.1`).map((line) => JSON.parse(line).message)).toEqual(["before"]);
      expect(linesOf(path).map((line) => JSON.parse(line).message)).toEqual(["after"]);
    }
  });

  it("that cannot be written are reported on standard error once and crash nobody", () => {
    const path = newPath();
    mkdirSync(path, { recursive: true });
    const { status, stdout, stderr } = runModule(
      `import { createLogger } from "OBSERVElog/logger.ts";
       const logger = createLogger({ ...${JSON.stringify(defaults)}, outputs: ["-", process.argv[1]] });
       for (let i = 0; i < 100; i++) { logger.info("still here"); await new Promise((r) => setImmediate(r)); }
       await logger.close();`,
      path,
    );
    expect(status).toBe(0);
    expect(stdout.match(/still here/g)).toHaveLength(100);
    expect(
      stderr.split("\n").filter((line) => line.includes(path) && !line.includes("closed with")),
    ).toHaveLength(1);
  });

  it("that can be written again get the lines that waited", async () => {
    const path = newPath();
    mkdirSync(join(path, ".."), { recursive: true });
    mkdirSync(path);
    const logger = createLogger({ ...defaults, outputs: [path] });
    logger.info("waited");
    await new Promise((resolve) => setTimeout(resolve, 50));
    renameSync(path, `${path}.folder`);
    logger.reopen();
    await logger.close();
    expect(linesOf(path).map((line) => JSON.parse(line).message)).toEqual(["waited"]);
  });
});

describe("the end of the process", () => {
  const program = (end: string): string =>
    `import { createLogger } from "OBSERVElog/logger.ts";
     const output = process.argv[1];
     const logger = createLogger({ ...${JSON.stringify(defaults)}, outputs: [output] });
     logger.info("first");
     ${end.includes("warm") ? "await new Promise((r) => setTimeout(r, 100));" : ""}
     for (let i = 0; i < 2000; i++) logger.info("line", { i, text: "x".repeat(100) });
     ${end}`;

  const ends = [
    ["process.exit", "process.exit(3)", 3],
    ["process.exit after a while", "/* warm */ process.exit(3)", 3],
    ["an uncaught error", "throw new Error('crash')", 1],
    ["an uncaught error after a while", "/* warm */ throw new Error('crash')", 1],
    ["an empty event loop", "", 0],
    ["a close", "await logger.close()", 0],
  ] as const;

  it.each(ends)("by %s loses and doubles no line of a file", (_, end, expected) => {
    const path = newPath();
    mkdirSync(join(path, ".."), { recursive: true });
    const { status } = runModule(program(end), path);
    expect(status).toBe(expected);
    expect(linesOf(path)).toHaveLength(2_001);
  });

  it.each(ends)("by %s loses and doubles no line of standard output", (_, end, expected) => {
    const { status, stdout } = runModule(program(end), "-");
    expect(status).toBe(expected);
    expect(stdout.split("\n")).toHaveLength(2_002);
  });

  it("by process.exit comes although the disk is full", () => {
    const { status, stderr } = runModule(program("/* warm */ process.exit(3)"), "/dev/full");
    expect(status).toBe(3);
    expect(stderr).toContain("ENOSPC");
  });

  it("lines after the close are still written", async () => {
    for (const fileMaxSizeMb of [100, 0]) {
      const path = newPath();
      const logger = createLogger({ ...defaults, outputs: [path], fileMaxSizeMb });
      await logger.close();
      logger.info("late");
      expect(linesOf(path).map((line) => JSON.parse(line).message)).toEqual(["late"]);
    }
  });
});
