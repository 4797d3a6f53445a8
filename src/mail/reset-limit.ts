/** The limit of mails for new passwords: three in an hour for a user, whatever process is asked (spec/sign-in §6). */

import type { Commit, Store } from "../store/port.ts";
import { readRecord } from "../store/read-record.ts";
import type { ResetsRecord } from "./records.ts";

const MOST = 3;
const HOUR_MS = 3_600_000;

/**
 * The part of a commit that counts one more; undefined where there were as many. It fails if somebody else counts meanwhile.
 * @param now Unix milliseconds
 */
export async function countReset(
  store: Store,
  userId: string,
  now: number,
): Promise<Pick<Commit, "expect" | "put"> | undefined> {
  const name = { partition: "invitation", key: `resets/${userId}` } as const;
  const { stored, unchanged } = await readRecord(store, name);
  const { times = [] } = stored === undefined ? {} : (JSON.parse(stored.value) as Partial<ResetsRecord>);
  const lately = times.filter((at) => at > now - HOUR_MS && at <= now);
  if (lately.length >= MOST) return undefined;
  const record: ResetsRecord = { times: [...lately, now], expires_at: now + HOUR_MS };
  return {
    expect: [unchanged],
    put: [{ ...name, value: JSON.stringify(record) }],
  };
}
