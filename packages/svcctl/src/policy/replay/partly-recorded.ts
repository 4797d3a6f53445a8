/**
 * Records of a replay that may lack allowed decisions: where a share of them is recorded, or where it is not known which are,
 * fewer requests are found that would be refused now (spec/decision-log §4.1).
 */

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import type { LoggedDecision } from "@svc-authorizer/policy/records/record.ts";
import type { ReplayReport } from "@svc-authorizer/policy/records/replay/replay.ts";
import { openApi } from "../../api/api-client.ts";
import { answerTo } from "../../api/operation.ts";
import type { CommandContext } from "../../command-context.ts";

/** `authorizer.decision_log.include` of a node, and the Unix milliseconds since when it holds. */
interface Noted {
  readonly include: unknown;
  readonly since: number;
}

const NOTE = /^recorded-(.+)\.json$/;

/** Watches records as they are read. */
export class Recording {
  readonly #notedBy: (node: string) => Noted | undefined;
  readonly #shares = new Set<number>();
  #unknown = 0;

  private constructor(notedBy: (node: string) => Noted | undefined) {
    this.#notedBy = notedBy;
  }

  /** The recording of a folder, by what its nodes noted beside their chains. Rejects with the error of the file system. */
  static async inFolder(directory: string): Promise<Recording> {
    const found = new Map<string, Noted>();
    for (const name of await readdir(directory)) {
      const node = NOTE.exec(name)?.[1];
      const noted = node && readNoted(await readFile(join(directory, name), "utf8"));
      if (node && noted) found.set(node, noted);
    }
    return new Recording((node) => found.get(node));
  }

  /** The recording of the server, as it is now. Throws ApiFailure. */
  static async ofServer(context: CommandContext): Promise<Recording> {
    const { decision_log_include: text } = await answerTo(openApi(context), "GET /config", {});
    const share = Number(text);
    const noted = { include: Number.isFinite(share) ? share : text, since: Number.NEGATIVE_INFINITY };
    return new Recording(() => noted);
  }

  /** Yields the records, and remembers how they were recorded. */
  async *watch(records: AsyncIterable<LoggedDecision>): AsyncGenerator<LoggedDecision> {
    for await (const record of records) {
      const noted = this.#notedBy(record.node);
      if (noted === undefined || !(Date.parse(record.at) >= noted.since)) this.#unknown++;
      else if (typeof noted.include === "number") this.#shares.add(noted.include);
      yield record;
    }
  }

  /** The member of a report; nothing where all allowed decisions were recorded, or none. */
  report(): Pick<ReplayReport, "partly_recorded"> {
    if (this.#shares.size === 0 && this.#unknown === 0) return {};
    return { partly_recorded: { shares: [...this.#shares].sort((a, b) => a - b), unknown: this.#unknown } };
  }
}

/** Reads a note: `{how: "[include, mask]", since}`. A damaged one is none. */
function readNoted(text: string): Noted | undefined {
  try {
    const { how, since } = parseJsonText(text) as { how: string; since: number };
    const [include] = parseJsonText(how) as readonly unknown[];
    return typeof since === "number" ? { include, since } : undefined;
  } catch {
    return undefined;
  }
}
