import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import micromatch from "micromatch";
import { describe, expect, it } from "vitest";
import { parseDockerfile, type Stage } from "./dockerfile.ts";
import { ROOT, secretsIn, textOf } from "./repository.ts";

const stages = parseDockerfile(textOf("Dockerfile"));
const final = stages.at(-1) as Stage;

/** Sources that a stage copies from the build context. */
function contextSources(stage: Stage): string[] {
  return stage.instructions
    .filter((one) => one.name === "COPY" && one.flags["from"] === undefined)
    .flatMap((one) => one.words.slice(0, -1));
}

/** Whether .dockerignore lets a path into the build context: the last pattern that matches it or a parent wins. */
function inContext(path: string): boolean {
  const parts = path.replace(/^\.\//, "").split("/");
  const parents = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  let included = true;
  for (const line of textOf(".dockerignore").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const pattern = line.replace(/^!/, "");
    if (parents.some((parent) => micromatch.isMatch(parent, pattern, { dot: true })))
      included = line.startsWith("!");
  }
  return included;
}

describe("Dockerfile", () => {
  it("builds in earlier stages and runs on a slim image of Node 24", () => {
    expect(stages.map((stage) => stage.name)).toEqual(["build", "dependencies", ""]);
    for (const stage of stages) expect(stage.image).toMatch(/^node:24(\.\d+)*-bookworm-slim$/);
  });

  it("copies only what the repository has and the build context lets through", () => {
    const sources = stages.flatMap(contextSources);
    expect(sources).toContain("src");
    for (const source of sources) {
      expect(existsSync(join(ROOT, source)), source).toBe(true);
      expect(inContext(source), `${source} in .dockerignore`).toBe(true);
    }
    for (const path of [
      "node_modules",
      ".git",
      ".svc-authorizer",
      "dist",
      "test",
      "fixtures/decisions",
      "deploy/kubernetes",
    ]) {
      expect(inContext(path), `${path} in .dockerignore`).toBe(false);
    }
  });

  it("copies from stages that exist", () => {
    const names = stages.map((stage) => stage.name);
    const from = stages.flatMap((stage) => stage.instructions.flatMap((one) => one.flags["from"] ?? []));
    expect(from.length).toBeGreaterThan(0);
    for (const name of from) expect(names).toContain(name);
  });

  it("installs what is locked, with the optional packages that carry the store's native part", () => {
    const installs = stages.flatMap((stage) => stage.instructions).filter((one) => /\bnpm\b/.test(one.text));
    expect(installs.length).toBe(2);
    for (const install of installs) {
      expect(install.text).toMatch(/^npm ci\b/);
      expect(install.text).not.toContain("omit=optional");
    }
  });

  it("runs as a user who is not root, who owns the volume alone", () => {
    const names = final.instructions.map((one) => one.name);
    const users = final.instructions.filter((one) => one.name === "USER");
    expect(users.map((one) => one.text)).toEqual(["node"]);
    expect(names.slice(names.indexOf("USER"))).not.toContain("RUN");
    expect(final.instructions.find((one) => one.name === "VOLUME")?.words).toEqual(["/data"]);
    expect(final.instructions.map((one) => one.text).join("\n")).toContain(
      "install -d -o node -g node -m 700 /data",
    );
  });

  it("starts the entry script with run, stops with SIGTERM and checks health", () => {
    const one = (name: string) => final.instructions.filter((instruction) => instruction.name === name);
    expect(one("ENTRYPOINT").map((entry) => entry.words)).toEqual([["docker-entrypoint.sh"]]);
    expect(one("CMD").map((command) => command.words)).toEqual([["run"]]);
    expect(one("STOPSIGNAL").map((signal) => signal.text)).toEqual(["SIGTERM"]);
    expect(one("EXPOSE").flatMap((ports) => ports.words)).toEqual(["8000", "8001", "8002"]);
    expect(one("HEALTHCHECK")[0]?.words.slice(0, 2)).toEqual(["node", "-e"]);
    expect(one("HEALTHCHECK")[0]?.text).toContain("/healthz");
    expect(statSync(join(ROOT, "deploy/docker-entrypoint.sh")).mode & 0o111).not.toBe(0);
  });

  it("holds no secret and no configuration in variables, which would win over a mounted file", () => {
    expect(secretsIn(textOf("Dockerfile"))).toEqual([]);
    expect(secretsIn(textOf("deploy/container.yaml"))).toEqual([]);
    const variables = final.instructions.filter((one) => one.name === "ENV" || one.name === "ARG");
    for (const variable of variables) expect(variable.text).not.toContain("SVC_");
  });
});
