/** The blocks of docs/identity-providers.md: requests with groups and tokens, the location for nginx, the command. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startAuthorizer, type TestAuthorizer } from "@svc-authorizer/testing/start-authorizer.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { freePort } from "../free-port.ts";
import { hasProgram } from "../journal/has-program.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PAGE = readFileSync(new URL("../../docs/identity-providers.md", import.meta.url), "utf8");

/** The blocks of a language below a heading, without their indentation. */
function blocksOf(heading: string, language: string): string[] {
  const section = PAGE.split(/^## /m).find((text) => text.startsWith(`${heading}`)) ?? "";
  const blocks = section.matchAll(new RegExp(`^( *)\`\`\`${language}\n([\\s\\S]*?)^\\1\`\`\`$`, "gm"));
  return [...blocks].map(([, indent = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

const TOKEN = "token-of-the-page-0123456789abcdef012";
const DATASET = {
  format: 1,
  policies: [
    {
      name: "Reads",
      statement: [{ effect: "allow", action: ["fs:ReadObject"], resource: "arn:svc:fs:::repository/data/*" }],
    },
  ],
  groups: [{ name: "portal-readers", policies: ["Reads"] }, { name: "Everyone" }],
} as const;

const folder = temporaryFolder();
let authorizer: TestAuthorizer;
beforeAll(async () => {
  const file = join(folder, "token");
  writeFileSync(file, TOKEN);
  const read = (heading: string) => {
    const [block = ""] = blocksOf(heading, "yaml");
    return parse(block.replaceAll(/\/etc\/svc-authorizer\/\w+\.token/g, file)).authorizer;
  };
  const { tokens, subjects } = read("Groups in each request");
  const { oidc } = read("Tokens at the proxy");
  const { scim, public_url } = read("SCIM");
  authorizer = await startAuthorizer({
    dataset: DATASET,
    config: {
      authorizer: {
        subjects,
        oidc,
        scim,
        public_url,
        tokens: [{ ...tokens[0], scopes: ["decide", "scim"] }],
      },
    },
  });
});
afterAll(() => authorizer?.close());

async function answerTo(body: string): Promise<Record<string, unknown>> {
  const isNative = "user" in JSON.parse(body);
  const response = await fetch(`${authorizer.url}/access/v1/${isNative ? "check" : "evaluation"}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${TOKEN}` },
    body,
  });
  expect(response.status).toBe(200);
  return (await response.json()) as Record<string, unknown>;
}

describe("the requests", () => {
  it("with groups are allowed by the policies of the groups", async () => {
    const [authzen = "", native = "", ...more] = blocksOf("Groups in each request", "json");
    expect(more).toEqual([]);
    expect(await answerTo(authzen)).toMatchObject({ decision: true });
    expect(await answerTo(native)).toMatchObject({ allowed: true });
  });

  it("with a token are understood: the one of the page does not hold, and refuses with that reason", async () => {
    const [authzen = "", native = "", ...more] = blocksOf("Tokens in each request", "json");
    expect(more).toEqual([]);
    expect(JSON.stringify(await answerTo(authzen))).toContain("invalid_token");
    expect(await answerTo(native)).toMatchObject({ allowed: false, reason: "invalid_token" });
  });
});

it("the command is one of svcctl, with its options", () => {
  const [line = ""] = blocksOf("SCIM", "text");
  const [command = "", ...options] = line.trim().split(/ (?=--)/);
  const program = new URL("../../packages/svcctl/bin/svcctl.cjs", import.meta.url).pathname;
  const args = [...command.split(" ").slice(1), "--help"];
  const { stdout } = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" });
  expect(stdout).toContain(`Usage: ${command} [options]`);
  for (const option of options) expect(stdout).toContain(`${option.split(" ")[0]} `);
});

describe("behind nginx", () => {
  it.skipIf(!hasProgram("nginx"))("SCIM is published, and nothing else of the service listener", async () => {
    const [location = ""] = blocksOf("SCIM", "nginx");
    const port = await freePort();
    const file = join(folder, "nginx.conf");
    const own = location.replace("http://127.0.0.1:8001", authorizer.url);
    expect(own).not.toBe(location);
    writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; worker_processes 1; events {}
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
server { listen 127.0.0.1:${port}; location / { return 404; } ${own} } }`,
    );
    const nginx = spawn("nginx", ["-p", folder, "-c", file], { stdio: "ignore" });
    try {
      const status = async (path: string): Promise<number> => {
        const headers = { authorization: `Bearer ${TOKEN}` };
        return (await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status;
      };
      await expect.poll(() => status("/scim/v2/Users").catch(() => 0)).toBe(200);
      expect(await status("/scim/v2/ServiceProviderConfig")).toBe(200);
      expect(await status("/access/v1/check")).toBe(404);
    } finally {
      nginx.kill();
      await once(nginx, "exit");
    }
  });
});
