/** The real service over a store whose commits may end with an unknown outcome, and its audit log. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openData, openLog } from "../../../src/compose/data.ts";
import { type RunningService, startService } from "../../../src/compose/service.ts";
import { type OpenedStore, openStore } from "../../../src/compose/store/backends.ts";
import { type ConfigObject, configFromObject } from "../../../src/config/load.ts";
import type { ConfigValues } from "../../../src/config/table.ts";
import { outcomeUnknown } from "../../../src/journal/write-refusals.ts";
import type { Commit } from "../../../src/store/port.ts";
import { call } from "../../http/call.ts";
import { basic, type Key } from "../management/kit.ts";

/** Token of the data server. */
export const API_TOKEN = "data-server-token-0123456789-0123456789";
/** Token of the identity provider. */
export const IDP = "idp-token-0123456789-0123456789-01234";
/** Key of the administrator. */
export const ADMIN: Key = {
  access_key_id: `AKIAJ${"A".repeat(14)}Q`,
  secret_access_key: "a-secret-of-the-administrator-of-the-test",
};

/** An answer. */
export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  readonly body: any;
}

/** A service whose writes can be made to end with an unknown outcome. */
export interface UncertainService {
  readonly service: RunningService;
  readonly values: ConfigValues;
  /** Does work whose commits, but for the first `after` ones, happen and are answered as unknown. */
  uncertain<T>(work: () => Promise<T>, after?: number): Promise<T>;
  /** Calls the user listener as the administrator, or with other headers. */
  asAdmin(
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  /** Calls the service listener with a token. */
  asService(token: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Does work and returns its events, all of them: one of its own that follows them is awaited. */
  eventsOf(work: () => Promise<unknown>): Promise<readonly Record<string, unknown>[]>;
  /** The text of the audit output. */
  text(): string;
  close(): Promise<void>;
}

interface Switch {
  on: boolean;
  /** Commits that are answered as they are before the others. */
  certain: number;
}

/** Makes the commits of a store happen and be answered as unknown while the switch is on. */
function losingAnswers({ store }: OpenedStore, state: Switch): void {
  const commit = store.commit.bind(store);
  const losing: typeof commit = async (asked) => {
    const revision = await commit(asked);
    if (!state.on || isOfMail(asked)) return revision;
    if (state.certain > 0) {
      state.certain -= 1;
      return revision;
    }
    throw outcomeUnknown();
  };
  Object.assign(store, { commit: losing });
}

/** Returns true for the upkeep of the queue of mails, which goes on beside calls. */
function isOfMail({ put = [], delete: removed = [] }: Commit): boolean {
  return [...put, ...removed].every(({ partition }) => partition === "outbox");
}

/** Starts the service in a folder. */
export async function startUncertain(folder: string, config: ConfigObject = {}): Promise<UncertainService> {
  const audit = join(folder, "audit.jsonl");
  const { values } = configFromObject(config, {
    "database.type": "mem",
    listen_address: "127.0.0.1:0",
    "authorizer.listen_address": "127.0.0.1:0",
    "authorizer.metrics_address": "127.0.0.1:0",
    "auth.encrypt.secret_key": "a-secret-key-of-the-test-0123456789-0123456789",
    "auth.api.token": API_TOKEN,
    "authorizer.tokens": [{ name: "idp", token: IDP, scopes: ["scim"] }],
    "authorizer.audit.output": audit,
    "authorizer.audit.directory": join(folder, "chain"),
    "logging.level": "NONE",
    "ui.enabled": false,
  });
  const state: Switch = { on: false, certain: 0 };
  const data = await openData(values, openLog(values), {
    open: async (...asked) => {
      const opened = await openStore(...asked);
      losingAnswers(opened, state);
      return opened;
    },
  });
  const service = await startService(data, { version: "0.0.0", env: () => undefined });
  const { addresses } = service;
  const text = () => readFileSync(audit, "utf8");
  let markers = 0;
  /** The events so far. Records are written late and in their order, so that the last one is awaited. */
  const settled = async () => {
    const id = `marker-${++markers}`;
    await send(addresses.user, "GET", "/api/v1/user", undefined, {
      authorization: "Basic eA==",
      "x-request-id": id,
    });
    await expect.poll(text).toContain(`"${id}"`);
    const lines = text().split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  return {
    service,
    values,
    uncertain: async (work, after = 0) => {
      Object.assign(state, { on: true, certain: after });
      try {
        return await work();
      } finally {
        state.on = false;
      }
    },
    asAdmin: (method, path, body, headers = { authorization: basic(ADMIN) }) =>
      send(addresses.user, method, path, body, headers),
    asService: (token, method, path, body) =>
      send(addresses.service, method, path, body, { authorization: `Bearer ${token}` }),
    eventsOf: async (work) => {
      const before = await settled();
      await work();
      return (await settled()).slice(before.length, -1);
    },
    text,
    close: () => service.stop(),
  };
}

async function send(
  url: string,
  method: string,
  target: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer> {
  const sent = { body, headers: { "x-request-id": "r-of-the-test", ...headers } };
  const answer = await call(url, method, target, sent);
  return { status: answer.status, body: answer.body ?? answer.text };
}
