/** One random schedule: readers of the replica that are cut, callers who hold positions, and login tokens. */

import { ReplicaReader } from "@svc-authorizer/client/embedded/replica-reader.ts";
import { isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { ReplicaStream } from "../../../src/api/changes/replica-stream.ts";
import { startingPoint } from "../../../src/api/changes/starting-point.ts";
import { changeLog } from "../../../src/compose/store/change-log.ts";
import type { Session } from "../../../src/directory/directory.ts";
import { ReplicaRecords } from "../../../src/directory/read/replica-records.ts";
import { LoginTokens } from "../../../src/identity/login-tokens.ts";
import { CommitNotes, openRevisions } from "../../../src/journal/revisions.ts";
import { Database, ModelNode } from "./database.ts";

const USERS = ["a", "b", "c"];
const SETTINGS = { partition: "svc", request_properties: "fill", policies_per_user: 10 } as const;
const MOST_STEPS = 4_000;
/** Callers wait for as many steps as there are, however long a busy machine takes for them. */
const PATIENCE_MS = 3_600_000;

type Random = (limit: number) => number;

/** Returns the first fault of a schedule; "" where it has none. */
export async function faultOf(seed: number): Promise<string> {
  return new Schedule(seededBy(seed)).run();
}

function seededBy(seed: number): Random {
  let state = seed | 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}

class Schedule {
  readonly #random: Random;
  readonly #database = new Database();
  readonly #waiting: (() => void)[] = [];
  readonly #nodes: readonly ModelNode[];
  #fault = "";
  #quiet = false;

  constructor(random: Random) {
    this.#random = random;
    this.#nodes = [0, 1].map(() => new ModelNode(this.#database, () => this.#pause()));
  }

  async run(): Promise<string> {
    this.#write();
    for (const node of this.#nodes) await node.follow();
    const reader = new ReplicaReader(() => {});
    const stop = new AbortController();
    const clients = [this.#caller(), this.#tokens(), this.#time()];
    const following = this.#reader(reader, stop.signal);
    let open = clients.length;
    for (const client of clients) {
      client.then(
        () => open--,
        (error: unknown) => {
          this.#fault ||= String(error);
          open--;
        },
      );
    }
    await this.#steps(MOST_STEPS, () => open === 0);
    this.#quiet = true;
    await this.#steps(400, () => false);
    stop.abort();
    let ended = false;
    void following.then(() => {
      ended = true;
    });
    await this.#steps(MOST_STEPS, () => ended);
    if (this.#fault !== "") return this.#fault;
    if (open > 0) return "it does not end";
    return this.#differs(reader);
  }

  /** Says whether a reader believes something of users that the directory does not say. */
  #differs(reader: ReplicaReader): string {
    for (const user of USERS) {
      const held = JSON.stringify(reader.point?.state.users.get(user));
      if (held !== this.#database.value("user", user))
        return "a reader keeps a state that is not the directory";
    }
    return "";
  }

  /** Lets others go on, a number of times, until something is so. Nodes follow some time. */
  async #steps(most: number, isOver: () => boolean): Promise<void> {
    for (let step = 0; step < most && this.#fault === "" && !isOver(); ) {
      if (this.#random(3) === 0) await this.#any().follow();
      const next = this.#waiting.splice(this.#random(Math.max(1, this.#waiting.length)), 1)[0];
      next?.();
      // What waits for a timer takes no step.
      if (next === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      else step++;
      await new Promise(setImmediate);
    }
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async #pauses(most: number): Promise<void> {
    for (let count = this.#random(most); count > 0; count--) await this.#pause();
  }

  #any(): ModelNode {
    return this.#nodes[this.#random(this.#nodes.length)]!;
  }

  #write(): void {
    const user = USERS[this.#random(USERS.length)]!;
    this.#database.add("user", user, { id: user, properties: { value: this.#random(1_000_000) } });
  }

  /** Writers, and time that goes back. */
  async #time(): Promise<void> {
    for (let round = 0; round < 30; round++) {
      await this.#pauses(8);
      if (this.#random(3) === 0) this.#database.putBack(1 + this.#random(3));
      else this.#write();
    }
  }

  /** Holds the position of an entry, and asks any node for it. */
  async #caller(): Promise<void> {
    const revisions = this.#nodes.map((store) =>
      openRevisions({ store, notes: new CommitNotes(), patienceMs: PATIENCE_MS }),
    );
    for (let round = 0; round < 6; round++) {
      const newest = this.#database.entries.at(-1)!;
      const position = `${newest.revision}.${this.#nodes[0]!.logId}.${newest.id.slice(0, 8)}`;
      await this.#pauses(10);
      const came = this.#database.pasts.length - 1;
      try {
        await revisions[this.#random(2)]!.reached({ position });
      } catch (error) {
        const pasts = this.#database.pasts.slice(came);
        const isAlways = pasts.every((ids) => ids[newest.revision - 1] === newest.id);
        if (isErrorCode(error, "went_back") && isAlways)
          this.#fault ||= "went_back, and the entry was there all the while";
        else if (!isErrorCode(error, "went_back")) this.#fault ||= String(error);
      }
    }
    for (const one of revisions) one.close();
  }

  /** Tokens that are issued, sessions that are ended, and at the end every token that holds. */
  async #tokens(): Promise<void> {
    const issued: { readonly token: string; readonly since: string }[] = [];
    const session = (): Session => {
      const { entries } = this.#database;
      const value = this.#database.value("session", "u");
      const at = entries.findLastIndex(({ writes: { put } }) => [...put][0]?.partition === "session");
      const since = value === undefined ? "" : (JSON.parse(value) as { since: string }).since;
      return {
        userId: "u",
        creation_date: 0,
        revision: entries.length,
        since,
        validFrom: at + 1,
        validAfter: 0,
        holdsKey: true,
        keyExpiresAt: undefined,
        isTokenClaimed: false,
      };
    };
    const tokens = new LoginTokens({
      directory: {
        sessions: {
          get: async () => session(),
          key: () => Promise.reject(new Error("not asked")),
          end: async () => {},
          hasKey: async () => false,
        },
        issuedSessions: {
          newId: () => "a-token",
          note: async () => {},
          list: () => Promise.reject(new Error("not asked")),
          end: () => Promise.reject(new Error("not asked")),
          endToken: async () => {},
        },
      },
      cache: { enabled: false, size: 1, ttl: 1, jitter: 0 },
      keys: [new TextEncoder().encode("a key of the model, long enough for HS256")],
      seconds: 1_000,
      maxSeconds: 1_000,
      counters: { cacheHits: 0, cacheMisses: 0 } as never,
      onLostSessions: () => {},
      now: () => 1_700_000_000_000,
    });
    for (let round = 0; round < 10; round++) {
      if (this.#random(2) === 0) this.#database.add("session", "u", { since: `s${this.#random(1_000_000)}` });
      else {
        const { since } = session();
        const { token } = await tokens.issue({ username: "u", userId: "u", how: "access_key" } as never);
        issued.push({ token, since });
      }
      await this.#pauses(10);
      for (const { token, since } of issued) {
        const holds = await Promise.resolve()
          .then(() => tokens.verify(token))
          .then(
            () => true,
            () => false,
          );
        if (holds && since !== session().since)
          this.#fault ||= "a token holds that was issued before its sessions ended";
      }
    }
  }

  /** Gives a line to a reader; what it then holds has to be what its name says. */
  #take(reader: ReplicaReader, line: string): void {
    reader.take(JSON.parse(line) as unknown);
    const entry = reader.position?.split(".")[2];
    if (entry === undefined) return;
    for (const user of USERS) {
      const held = JSON.stringify(reader.point?.state.users.get(user));
      if (held !== this.#database.valueAt(entry, "user", user)) {
        this.#fault ||= "a reader holds another state than its name says";
      }
    }
  }

  /** Reads the replica over connections that are cut, each to any node. */
  async #reader(reader: ReplicaReader, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const node = this.#any();
      const log = changeLog({ store: node, journal: undefined });
      reader.begin();
      let left = this.#quiet ? Number.POSITIVE_INFINITY : this.#random(30);
      const gone: (() => void)[] = [];
      const response = {
        destroyed: false,
        write: (chunk: string) => {
          for (const line of chunk.split("\n").slice(0, -1)) {
            if (left-- <= 0) response.destroyed = true;
            else this.#take(reader, line);
          }
          return true;
        },
        once: (_event: string, listener: () => void) => void gone.push(listener),
        off: () => {},
      };
      signal.addEventListener("abort", () => {
        response.destroyed = true;
        for (const listener of gone) listener();
      });
      const records = new ReplicaRecords(node);
      const settings = { beatMs: 0, patienceMs: 1 };
      const stream = new ReplicaStream({ log, records, settings, decisions: SETTINGS }, {
        response,
      } as never);
      try {
        await stream.run(await startingPoint({ position: reader.position }, log));
      } catch (error) {
        // What does not fit is a broken connection for the reader.
        if (!(error instanceof Error)) throw error;
      }
      await this.#pauses(5);
    }
  }
}
