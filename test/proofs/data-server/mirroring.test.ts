/**
 * Mirrors between two real data servers, whose stores are two folders: a writer, a replicator that copies late, in any order
 * and in parts, controllers that are killed, and a reader that looks at everything that becomes visible. With
 * `npm run prove`, where the server is given: prints what was seen.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MirrorController } from "../../../src/mirroring/controller.ts";
import type { Destination } from "../../../src/mirroring/ports.ts";
import { ServerCalls } from "../../../src/mirroring/server/calls.ts";
import { DataServer } from "../../../src/mirroring/server/data-server.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { randomOf } from "../../mirroring/world.ts";
import { isWhole, report } from "../size.ts";
import { type GivenDataServer, givenDataServer } from "./given-data-server.ts";
import { KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const given = isWhole ? givenDataServer() : undefined;
const ROUNDS = 120;
const MINUTE_MS = 60_000;
const SOURCE = "/repositories/sales";
const authorization = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`;

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function call(
  server: RunningDataServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const isText = typeof body === "string";
  const type = isText ? "application/octet-stream" : "application/json";
  const answer = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { authorization, ...(body !== undefined && { "content-type": type }) },
    ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

interface Listed {
  readonly results: readonly { readonly id: string; readonly commit_id: string; readonly path: string }[];
}

async function list(server: RunningDataServer, path: string): Promise<Listed["results"]> {
  const { status, text } = await call(server, "GET", path);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return (JSON.parse(text) as Listed).results;
}

describe.skipIf(given === undefined)("data server: mirroring", () => {
  let source: RunningDataServer;
  let destination: RunningDataServer;
  beforeAll(async () => {
    source = await RunningDataServer.start(given as GivenDataServer);
    destination = await RunningDataServer.start(given as GivenDataServer);
  }, 60_000);
  afterAll(async () => {
    await source?.close();
    await destination?.close();
  });

  /** A run; returns what it saw. */
  async function run(seed: number, wrap: (destination: Destination) => Destination = (one) => one) {
    const random = randomOf(seed);
    const repository = `sales-${seed}`;
    const mirror = `west-${seed}`;
    const at = SOURCE.replace("sales", repository);
    const violations: string[] = [];
    const heads = new Map<string, string[]>();
    const places = new Map<string, number>();
    const seen = new Set<string>();
    let objects = 0;
    const main = { name: repository, storage_namespace: `local://${repository}`, default_branch: "main" };
    expect((await call(source, "POST", "/repositories", main)).status).toBe(201);

    const noteHeads = async (): Promise<void> => {
      for (const { id, commit_id: commit } of await list(source, `${at}/branches?amount=1000`)) {
        const known = heads.get(id) ?? [];
        if (known.at(-1) !== commit) heads.set(id, [...known, commit]);
      }
    };
    const write = async (): Promise<void> => {
      const names = [...(await list(source, `${at}/branches?amount=1000`))].map(({ id }) => id);
      const name = names[random(names.length)] ?? "main";
      const kind = random(10);
      if (kind < 6) {
        const path = `path-${random(12)}`;
        await call(source, "POST", `${at}/branches/${name}/objects?path=${path}`, `content ${random(1e6)}`);
        await call(source, "POST", `${at}/branches/${name}/commits`, { message: "more" });
      } else if (kind === 6) {
        const other = names[random(names.length)] ?? "main";
        await call(source, "POST", `${at}/refs/${other}/merge/${name}`, { strategy: "source-wins" });
      } else if (kind === 7) {
        await call(source, "PUT", `${at}/branches/${name}/hard_reset?ref=${name}~1`);
      } else if (kind === 8) {
        await call(source, "POST", `${at}/branches`, { name: `branch-${random(4)}`, source: name });
      } else if (name !== "main") await call(source, "DELETE", `${at}/branches/${name}`);
      await noteHeads();
    };
    const replicate = (amount: number): void => {
      const from = join(source.folder, "data", repository);
      if (!existsSync(from)) return;
      const files = readdirSync(from, { recursive: true, encoding: "utf8" }).filter((path) => {
        const to = join(destination.folder, "data", mirror, path);
        const { size } = statSync(join(from, path));
        return statSync(join(from, path)).isFile() && !(existsSync(to) && statSync(to).size === size);
      });
      for (let copied = 0; copied < amount && files.length > 0; copied += 1) {
        const [path = ""] = files.splice(random(files.length), 1);
        const bytes = readFileSync(join(from, path));
        const to = join(destination.folder, "data", mirror, path);
        mkdirSync(dirname(to), { recursive: true });
        const isPart = amount !== Number.POSITIVE_INFINITY && random(4) === 0;
        writeFileSync(to, isPart ? bytes.subarray(0, bytes.length >> 1) : bytes);
      }
    };
    const readCommits = async (target: string, head: string): Promise<void> => {
      for (const { id } of await list(destination, `${target}/refs/${head}/commits?amount=1000`)) {
        if (seen.has(id)) continue;
        seen.add(id);
        for (const { path } of await list(destination, `${target}/refs/${id}/objects/ls?amount=1000`)) {
          objects += 1;
          const name = `refs/${id}/objects?path=${path}`;
          const ours = await call(destination, "GET", `${target}/${name}`).catch(() => undefined);
          const theirs = await call(source, "GET", `${at}/${name}`);
          if (ours?.status !== 200) violations.push(`M2: ${path} of ${id}: ${ours?.status}`);
          else if (ours.text !== theirs.text) violations.push(`M1: ${path} of ${id} has other bytes`);
        }
      }
    };
    const readMirror = async (): Promise<void> => {
      const target = `/repositories/${mirror}`;
      for (const { id: branch, commit_id: head } of await list(
        destination,
        `${target}/branches?amount=1000`,
      )) {
        const known = heads.get(branch) ?? [];
        const from = places.get(branch) ?? -1;
        const place = known[from] === head ? from : known.indexOf(head, from + 1);
        if (place < 0) violations.push(`M3: ${branch} shows ${head}`);
        else places.set(branch, place);
        await readCommits(target, head).catch((error: Error) => violations.push(`M2: ${error.message}`));
      }
    };

    const store = openMemoryStore();
    let clock = Date.now();
    const server = (one: RunningDataServer): DataServer =>
      new DataServer(new ServerCalls({ endpoint: one.url, accessKeyId: KEY, secretAccessKey: SECRET }));
    const controller = (): MirrorController =>
      new MirrorController(
        {
          uid: `uid-${seed}`,
          name: mirror,
          region: "west",
          sourceRepository: repository,
          storageNamespace: `local://${mirror}`,
          branches: { include: [], exclude: [] },
          createdAt: Math.floor(Date.now() / 1000),
          createdBy: "admin",
        },
        {
          store,
          source: server(source),
          destination: wrap(server(destination)),
          blocksExternal: false,
          recheckMissingMs: 10 * MINUTE_MS,
          recheckMs: 0,
          now: () => clock,
        },
      );
    let acting = controller();
    const errors: string[] = [];
    let promotions = 0;
    const pass = async (): Promise<void> => {
      clock += MINUTE_MS;
      const done = await acting.pass().catch((error: Error) => void errors.push(error.message));
      promotions += done?.work.promotions ?? 0;
    };
    await noteHeads();
    await acting.pass();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (let more = random(4); more > 0; more -= 1) await write();
      replicate(random(12));
      if (random(4) === 0) acting = controller();
      // The reader looks while the controller works.
      await Promise.all([pass(), readMirror()]);
      await readMirror();
    }
    replicate(Number.POSITIVE_INFINITY);
    for (let more = 0; more < 4; more += 1) await pass();
    await readMirror();
    const headsOf = async (one: RunningDataServer, name: string): Promise<string[]> =>
      (await list(one, `/repositories/${name}/branches?amount=1000`)).map(
        ({ id, commit_id: commit }) => `${id} ${commit}`,
      );
    const [ours, theirs] = await Promise.all([headsOf(destination, mirror), headsOf(source, repository)]);
    return { violations, ours, theirs, commits: seen.size, objects, promotions, errors };
  }

  it.each([1, 2, 3])(
    "shows nothing that is not whole, never goes back, and arrives: seed %i",
    async (seed) => {
      const { violations, ours, theirs, commits, objects, promotions, errors } = await run(seed);
      report(
        `mirroring, seed ${seed}: ${ROUNDS} rounds, ${promotions} promotions, ${commits} visible commits, ${objects} objects read, ${violations.length} violations, ${errors.length} failed passes`,
      );
      expect(violations).toEqual([]);
      expect(errors).toEqual([]);
      expect(ours).toEqual(theirs);
    },
    600_000,
  );

  it("sees where data is not looked for", async () => {
    const { violations } = await run(4, (destination) => {
      const blind = Object.create(destination) as Destination;
      const sourceServer = new DataServer(
        new ServerCalls({ endpoint: source.url, accessKeyId: KEY, secretAccessKey: SECRET }),
      );
      return Object.assign(blind, bound(destination), {
        object: async () => "there" as const,
        table: (_: string, kind: "meta_range" | "range", id: string) =>
          sourceServer.table("sales-4", kind, id),
      });
    });
    report(`mirroring without a look at data: ${violations.length} violations`);
    expect(violations).not.toEqual([]);
  }, 600_000);
});

/** The methods of a port, which may be taken off it. */
function bound(destination: Destination): Destination {
  const names = Object.getOwnPropertyNames(DataServer.prototype).filter((name) => name !== "constructor");
  const methods = names.map((name) => {
    const value: unknown = Reflect.get(destination, name);
    return [name, typeof value === "function" ? value.bind(destination) : value];
  });
  return Object.fromEntries(methods) as unknown as Destination;
}
