/**
 * A repository on a real data server and its mirror on another one, whose stores are two folders: somebody who writes, a
 * replicator that copies late, in any order and in parts, and a reader who looks at everything that the mirror shows.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { GivenDataServer } from "./given-data-server.ts";
import { KEY, RunningDataServer, SECRET } from "./running-data-server.ts";

const MOST_PATHS = 12;
const READ_EVERY_MS = 20;
const authorization = `Basic ${Buffer.from(`${KEY}:${SECRET}`).toString("base64")}`;

type Random = (below: number) => number;

/** An answer of a data server; status 0: there was none. */
interface DataAnswer {
  readonly status: number;
  readonly text: string;
}

/** Calls a data server. */
async function call(
  server: RunningDataServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<DataAnswer> {
  const isText = typeof body === "string";
  const type = isText ? "application/octet-stream" : "application/json";
  try {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { "content-type": type }) },
      ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    return { status: 0, text: "" };
  }
}

/** An item of a list, whatever it lists. */
interface Listed {
  readonly id: string;
  readonly commit_id: string;
  readonly path: string;
}

/** The two servers, and what is seen of them. */
export class RealMirror {
  readonly source: RunningDataServer;
  readonly destination: RunningDataServer;
  readonly repository: string;
  readonly mirror: string;
  readonly violations: string[] = [];
  /** Objects that were read on the mirror. */
  objects = 0;
  /** Commits that the mirror has shown. */
  readonly shown = new Set<string>();
  /** Heads that each branch of the source has had. */
  readonly #heads = new Map<string, string[]>();
  /** The place of each branch of the mirror among them. */
  readonly #places = new Map<string, number>();
  #noting: Promise<unknown> = Promise.resolve();
  #reading: Promise<void> | undefined;
  #isReading = false;

  private constructor(
    source: RunningDataServer,
    destination: RunningDataServer,
    names: { readonly repository: string; readonly mirror: string },
  ) {
    this.source = source;
    this.destination = destination;
    this.repository = names.repository;
    this.mirror = names.mirror;
  }

  /** Starts two servers, with a repository on the first one. */
  static async open(
    given: GivenDataServer,
    more: Readonly<Record<string, string>> = {},
  ): Promise<RealMirror> {
    const source = await RunningDataServer.start(given, undefined, true, more);
    const destination = await RunningDataServer.start(given, undefined, true, more);
    return RealMirror.of(source, destination, { repository: "sales", mirror: "sales-west" });
  }

  /** Makes a repository on a server that runs. */
  static async of(
    source: RunningDataServer,
    destination: RunningDataServer,
    names: { readonly repository: string; readonly mirror: string },
  ): Promise<RealMirror> {
    const { repository: name } = names;
    const body = { name, storage_namespace: `local://${name}`, default_branch: "main" };
    const { status, text } = await call(source, "POST", "/repositories", body);
    if (status !== 201) throw new Error(`${status} ${text}`);
    const mirror = new RealMirror(source, destination, names);
    await mirror.noteHeads();
    return mirror;
  }

  async close(): Promise<void> {
    await this.stopReading();
    await this.source.close();
    await this.destination.close();
  }

  /** Calls about the repository, and about its mirror. */
  ofSource(method: string, path: string, body?: unknown): Promise<DataAnswer> {
    return call(this.source, method, `/repositories/${this.repository}${path}`, body);
  }
  ofMirror(method: string, path: string, body?: unknown): Promise<DataAnswer> {
    return call(this.destination, method, `/repositories/${this.mirror}${path}`, body);
  }

  /**
   * Notes the heads that the source has now; one look after the other, so that their order is that of the source. Returns its
   * branches; none where it is away.
   */
  noteHeads(): Promise<readonly string[]> {
    const noting = this.#noting.then(async () => {
      const listed = itemsOf(await this.ofSource("GET", "/branches?amount=1000"));
      for (const { id, commit_id: commit } of listed) {
        const known = this.#heads.get(id) ?? [];
        if (known.at(-1) !== commit) this.#heads.set(id, [...known, commit]);
      }
      return listed.map(({ id }) => id);
    });
    this.#noting = noting;
    return noting;
  }

  /**
   * Commits an object on a branch.
   * @param date Unix seconds; default now
   */
  async commit(branch: string, path: string, text: string, date?: number): Promise<void> {
    await this.ofSource("POST", `/branches/${branch}/objects?path=${path}`, text);
    const message = `${path} ${text.slice(0, 20)}`;
    await this.ofSource("POST", `/branches/${branch}/commits`, {
      message,
      ...(date !== undefined && { date }),
    });
    await this.noteHeads();
  }

  /** Does one thing: a commit, a merge, a reset backwards, a branch that is made, deleted or made again. */
  async write(random: Random): Promise<void> {
    // A head whose write had no answer is seen before the next one.
    const names = await this.noteHeads();
    const name = names[random(names.length)];
    if (name === undefined) return;
    const kind = random(10);
    if (kind < 6) {
      // Clocks of writers differ: creation order is not history.
      const date = 1_700_000_000 + random(1_000);
      return this.commit(name, `path-${random(MOST_PATHS)}`, `content ${random(1e6)}`, date);
    }
    if (kind === 6) {
      const other = names[random(names.length)] ?? "main";
      await this.ofSource("POST", `/refs/${other}/merge/${name}`, { strategy: "source-wins" });
    } else if (kind === 7) {
      await this.ofSource("PUT", `/branches/${name}/hard_reset?ref=${name}~1`);
    } else if (kind === 8) {
      await this.ofSource("POST", "/branches", { name: `branch-${random(4)}`, source: name });
    } else if (name !== "main") await this.ofSource("DELETE", `/branches/${name}`);
    await this.noteHeads();
  }

  /** Folders of the two stores. */
  get folders(): { readonly from: string; readonly to: string } {
    return {
      from: join(this.source.folder, "data", this.repository),
      to: join(this.destination.folder, "data", this.mirror),
    };
  }

  /** Files that the mirror's store lacks, or has a part of. */
  missingFiles(): string[] {
    const { from, to } = this.folders;
    if (!existsSync(from)) return [];
    return readdirSync(from, { recursive: true, encoding: "utf8" }).filter((path) => {
      const theirs = statSync(join(from, path), { throwIfNoEntry: false });
      return (
        theirs?.isFile() === true && statSync(join(to, path), { throwIfNoEntry: false })?.size !== theirs.size
      );
    });
  }

  /** Copies files in any order, at most so many; some of them in two parts. All of them without a number. */
  replicate(random: Random = () => 0, amount = Number.POSITIVE_INFINITY): void {
    const { from, to } = this.folders;
    const files = this.missingFiles();
    for (let copied = 0; copied < amount && files.length > 0; copied += 1) {
      const [path = ""] = files.splice(random(files.length), 1);
      mkdirSync(dirname(join(to, path)), { recursive: true });
      if (amount === Number.POSITIVE_INFINITY || random(4) > 0)
        copyFileSync(join(from, path), join(to, path));
      else {
        const bytes = readFileSync(join(from, path));
        writeFileSync(join(to, path), bytes.subarray(0, bytes.length >> 1));
      }
    }
  }

  /** Looks at the mirror again and again, until {@link stopReading}. */
  readOn(): void {
    this.#isReading = true;
    this.#reading = (async () => {
      while (this.#isReading) {
        await this.read();
        await delay(READ_EVERY_MS);
      }
    })();
  }

  async stopReading(): Promise<void> {
    this.#isReading = false;
    await this.#reading;
  }

  /** Looks at all heads of the mirror, and at what they lead to (M1 to M3). A server that is away says nothing. */
  async read(): Promise<void> {
    const listed = await this.ofMirror("GET", "/branches?amount=1000");
    if (listed.status !== 200) return;
    for (const { id: branch, commit_id: head } of itemsOf(listed)) {
      if (!this.#move(branch, head)) {
        // The mirror may be faster than whoever notes heads.
        await this.noteHeads();
        if (!this.#move(branch, head)) this.violations.push(`M3: ${branch} shows ${head}`);
      }
      await this.#readLog(head);
    }
  }

  #move(branch: string, head: string): boolean {
    const known = this.#heads.get(branch) ?? [];
    const from = this.#places.get(branch) ?? -1;
    const place = known[from] === head ? from : known.indexOf(head, from + 1);
    if (place >= 0) this.#places.set(branch, place);
    return place >= 0;
  }

  async #readLog(head: string): Promise<void> {
    const log = await this.ofMirror("GET", `/refs/${head}/commits?amount=1000`);
    if (log.status === 0) return;
    if (log.status !== 200) this.violations.push(`M2: the log of ${head}: ${log.status} ${log.text}`);
    for (const { id } of itemsOf(log)) {
      if (this.shown.has(id)) continue;
      if (await this.#readCommit(id)) this.shown.add(id);
    }
  }

  /** False where a server was away, and nothing was seen. */
  async #readCommit(id: string): Promise<boolean> {
    const listed = await this.ofMirror("GET", `/refs/${id}/objects/ls?amount=1000`);
    if (listed.status === 0) return false;
    if (listed.status !== 200)
      this.violations.push(`M2: the objects of ${id}: ${listed.status} ${listed.text}`);
    for (const { path } of itemsOf(listed)) {
      const name = `/refs/${id}/objects?path=${encodeURIComponent(path)}`;
      let ours = await this.ofMirror("GET", name);
      if (ours.status === 0) {
        // Either the server was away, or what it sent was not whole.
        if ((await this.ofMirror("GET", "")).status !== 200) return false;
        ours = await this.ofMirror("GET", name);
      }
      const theirs = await this.ofSource("GET", name);
      if (theirs.status === 0) return false;
      this.objects += 1;
      const isGone = ours.status === 410 && theirs.status === 410;
      if (ours.status !== 200 && !isGone) this.violations.push(`M2: ${path} of ${id}: ${ours.status}`);
      else if (ours.text !== theirs.text) this.violations.push(`M1: ${path} of ${id} has other bytes`);
    }
    return true;
  }

  /** Branches whose heads differ (M4). */
  async behind(): Promise<string[]> {
    const headsOf = async (listing: Promise<DataAnswer>): Promise<string[]> =>
      itemsOf(await listing).map(({ id, commit_id: commit }) => `${id} ${commit}`);
    const theirs = await headsOf(this.ofSource("GET", "/branches?amount=1000"));
    const ours = await headsOf(this.ofMirror("GET", "/branches?amount=1000"));
    return [...theirs.filter((one) => !ours.includes(one)), ...ours.filter((one) => !theirs.includes(one))];
  }
}

/** The items of a list; none of an answer that is no list. */
export function itemsOf({ status, text }: DataAnswer): readonly Listed[] {
  return status === 200 ? (JSON.parse(text) as { results: readonly Listed[] }).results : [];
}
