/** Lines between a node and what it calls, which a proof cuts: what is sent then never arrives, and nothing is refused. */
import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { listening } from "../../journal/http-proxy.ts";

/** A line to a database. */
export class DatabaseLine {
  readonly port: number;
  readonly #isCut: { now: boolean };
  readonly #sockets: ReadonlySet<Socket>;

  private constructor(port: number, isCut: { now: boolean }, sockets: ReadonlySet<Socket>) {
    this.port = port;
    this.#isCut = isCut;
    this.#sockets = sockets;
  }

  static async to(target: number): Promise<DatabaseLine> {
    const sockets = new Set<Socket>();
    const isCut = { now: false };
    const server = createServer((client) => {
      const database = connect(target, "127.0.0.1");
      for (const [from, to] of [
        [client, database],
        [database, client],
      ] as const) {
        sockets.add(from);
        from.on("error", () => undefined);
        from.on("close", () => {
          sockets.delete(from);
          to.destroy();
        });
        from.on("data", (bytes) => {
          if (!isCut.now) to.write(bytes);
        });
      }
    });
    server.unref();
    return new DatabaseLine(await listening(server), isCut, sockets);
  }

  cut(): void {
    this.#isCut.now = true;
  }

  /** New connections arrive again; what was lost on old ones stays so. */
  mend(): void {
    this.#isCut.now = false;
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** Calls that a line holds. */
const HELD = {
  "hard reset": (call: IncomingMessage) => call.url?.includes("/hard_reset") === true,
  creation: (call: IncomingMessage) => call.method === "POST" && call.url?.endsWith("/branches") === true,
  deletion: (call: IncomingMessage) => call.method === "DELETE" && call.url?.includes("/branches/") === true,
} as const;
/** Kinds of calls that a line holds. */
export type HeldCall = keyof typeof HELD;

/** A call that is held. */
interface Hold {
  /** Resolves when there is one. */
  readonly isHeld: Promise<void>;
  /** Lets it go on to the server. */
  release(): void;
}

/** A line to a data server. */
export class DataServerLine {
  /** True: a hard reset to a fence becomes one to the commit of the fence, as of a controller that has no fences. */
  pointsAtCommits = false;
  isCut = false;
  readonly #target: URL;
  readonly #server: Server;
  readonly #fences = new Map<string, string>();
  #hold: { readonly kind: HeldCall; readonly found: () => void; readonly over: Promise<void> } | undefined;

  private constructor(target: string) {
    this.#target = new URL(target);
    this.#server = createHttpServer((call, answer) => void this.#pass(call, answer));
    this.#server.unref();
  }

  static async to(target: string): Promise<DataServerLine> {
    const line = new DataServerLine(target);
    await listening(line.#server);
    return line;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  }

  /** Ends the calls that hang. */
  mend(): void {
    this.isCut = false;
    this.#server.closeAllConnections();
  }

  /** Holds the next call of a kind. */
  hold(kind: HeldCall): Hold {
    const [found, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    this.#hold = { kind, found: found.resolve, over: over.promise };
    return { isHeld: found.promise, release: over.resolve };
  }

  async #pass(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    answer.on("error", () => undefined);
    const body = await buffer(call).catch(() => undefined);
    if (body === undefined || this.isCut) return;
    this.#noteFence(call, body);
    const hold = this.#hold;
    if (hold !== undefined && HELD[hold.kind](call)) {
      this.#hold = undefined;
      hold.found();
      await hold.over;
    }
    const { hostname, port } = this.#target;
    const { method, headers } = call;
    const options = { hostname, port, method, headers, path: this.#pathOf(call.url ?? "") };
    const sent = request(options, (came) => {
      came.on("error", () => answer.destroy());
      if (this.isCut) return void came.resume();
      answer.writeHead(came.statusCode ?? 500, came.headers);
      came.pipe(answer);
    });
    sent.on("error", () => answer.destroy());
    sent.end(body);
  }

  #noteFence(call: IncomingMessage, body: Buffer): void {
    if (!this.pointsAtCommits || !HELD.creation(call)) return;
    const { name, source, hidden } = JSON.parse(body.toString()) as Record<string, string>;
    if (hidden) this.#fences.set(name ?? "", source ?? "");
  }

  #pathOf(url: string): string {
    const [fence] = /mirror-fence-[^&]*/.exec(url) ?? [];
    const commit = url.includes("/hard_reset") ? this.#fences.get(fence ?? "") : undefined;
    return commit === undefined ? url : url.replace(fence ?? "", commit);
  }
}
