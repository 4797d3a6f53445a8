/** Invitations over a real directory and store, with short times. */

import { type OpenedInvitations, openInvitations } from "../../src/mail/open-invitations.ts";
import type { MailConfig } from "../../src/mail/settings.ts";
import type { MailTiming } from "../../src/mail/timing.ts";
import { withSnapshot } from "../../src/store/port.ts";
import type { TestDirectory } from "../directory/open-test-directory.ts";

/** The entries that were logged, one text for each. */
type LogLines = string[];

/** A configuration that needs nothing but a server's port. */
export const CONFIG: MailConfig = {
  smtpHost: "127.0.0.1",
  smtpPort: 1,
  useSsl: false,
  username: undefined,
  password: undefined,
  localName: "authorizer.test",
  sender: "Data Service <data@example.com>",
  baseUrl: "https://data.example.com/base/",
  limitEveryMs: 0,
  burst: 10,
};

/** Times that tests can wait for. */
const QUICK: Partial<MailTiming> = {
  firstLookMs: 0,
  firstRetryMs: 40,
  maxRetryMs: 160,
  maxPauseMs: 80,
};

export interface Room {
  readonly invitations: OpenedInvitations;
  readonly log: LogLines;
}

/** Opens invitations on a bed; they are not started. */
export function openRoom(
  { store, directory }: Pick<TestDirectory, "store" | "directory">,
  config: Partial<MailConfig> = {},
  options: { readonly timing?: Partial<MailTiming>; readonly now?: () => number } = {},
): Room {
  const log: LogLines = [];
  const entry = (level: string) => (message: string, fields: Readonly<Record<string, unknown>>) => {
    log.push(
      `${level} ${message} ${JSON.stringify(fields, (_key, value) => (value instanceof Error ? String(value) : value))}`,
    );
  };
  const invitations = openInvitations({
    store,
    directory,
    seal: directory.mailSecrets,
    log: { info: entry("info"), warn: entry("warn"), error: entry("error") },
    config: { ...CONFIG, ...config },
    timing: { ...QUICK, ...options.timing },
    ...(options.now && { now: options.now }),
  });
  return { invitations, log };
}

/** Every record of a partition. */
export async function recordsOf(
  store: TestDirectory["store"],
  partition: string,
): Promise<Record<string, unknown>[]> {
  const found = await withSnapshot(store, (snapshot) => snapshot.scan(partition, { limit: 1_000 }));
  return found.map(({ key, value }) => ({ key, ...JSON.parse(value) }));
}

/** Invites a user and creates it, in the order of the data-server API. */
export async function inviteNew(
  { directory }: Pick<TestDirectory, "directory">,
  { invitations }: Room,
  username: string,
  email = `${username}@example.com`,
): Promise<void> {
  const { userId } = await invitations.invite({ username, email });
  await directory.users.create({ username, email }, userId);
}
