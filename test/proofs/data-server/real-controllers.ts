/** Controllers of a mirror between two real data servers, in this process and with a clock of their own. */
import { MirrorController } from "../../../src/mirroring/controller.ts";
import type { MirrorReport } from "../../../src/mirroring/mirror.ts";
import { ServerCalls } from "../../../src/mirroring/server/calls.ts";
import { DataServer } from "../../../src/mirroring/server/data-server.ts";
import { openMemoryStore } from "../../../src/store/memory/memory-store.ts";
import { type Sabotage, UNHARMED } from "../../mirroring/sabotage.ts";
import type { RealMirror } from "./real-mirror.ts";
import { KEY, type RunningDataServer, SECRET } from "./running-data-server.ts";

const MINUTE_MS = 60_000;

/** Makes controllers that share what they have stored. */
export class RealControllers {
  readonly #both: RealMirror;
  readonly #sabotage: Sabotage;
  readonly #store = openMemoryStore();
  readonly #createdAt = Math.floor(Date.now() / 1000);
  #clock = Date.now();

  constructor(both: RealMirror, sabotage: Sabotage = UNHARMED) {
    this.#both = both;
    this.#sabotage = sabotage;
  }

  /** A controller, as a process that has just started has it. */
  make(blocksExternal = false): MirrorController {
    const { source, destination, repository, mirror } = this.#both;
    const server = (one: RunningDataServer): DataServer =>
      new DataServer(new ServerCalls({ endpoint: one.url, accessKeyId: KEY, secretAccessKey: SECRET }));
    return new MirrorController(
      {
        uid: `uid-of-${mirror}`,
        name: mirror,
        region: "west",
        sourceRepository: repository,
        storageNamespace: `local://${mirror}`,
        branches: { include: [], exclude: [] },
        createdAt: this.#createdAt,
        createdBy: "admin",
      },
      {
        ...this.#sabotage({ source: server(source), destination: server(destination) }),
        store: this.#store,
        blocksExternal,
        recheckMissingMs: 10 * MINUTE_MS,
        recheckMs: 0,
        now: () => this.#clock,
      },
    );
  }

  /** A minute later than before. */
  pass(controller: MirrorController): Promise<MirrorReport | undefined> {
    this.#clock += MINUTE_MS;
    return controller.pass();
  }
}
