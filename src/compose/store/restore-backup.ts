/** Puts a backup in the place of a local store; what was revoked since stays revoked (spec/journal §4.12). */

import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import type { ConfigValues } from "../../config/table.ts";
import type { HeldRevocations } from "../../directory/revocations/hold-revocations.ts";
import { isSameSecret, type RevokedState, stateOf } from "../../directory/revocations/revoked-records.ts";
import { hasLocalStore } from "../../store/local/remove-store.ts";
import type { LogPlace } from "../../store/local/revocation-lines.ts";
import { DamagedRecord, type Snapshot, type Store, withSnapshot } from "../../store/port.ts";
import { localFolder, revocationPath } from "./backends.ts";
import { unpackBackup } from "./backup.ts";
import { forgetSince } from "./forget-revocations.ts";
import { assertNotInUse, openOfflineData, withOfflineStoreToRead } from "./offline-store.ts";
import { toBeKept } from "./revocations.ts";

/** Options of {@link restoreBackup}. */
interface RestoreBackupOptions {
  readonly forgetRevocations: boolean;
  /** True: only those sessions end that had ended. */
  readonly keepSessions: boolean;
  /** Called with what somebody has to know. */
  readonly warn: (message: string) => void;
}

/** The result of a restore. */
interface RestoredBackup {
  readonly revision: number;
  readonly at: string;
  /** Newest revision of the store that was replaced; undefined where there was none. */
  readonly replaced: number | undefined;
  /** Folder that has the store that was replaced. */
  readonly kept: string | undefined;
  /** Counts of what was revoked again; undefined where nothing had been revoked, or that was forgotten. */
  readonly held: HeldRevocations | undefined;
  /** Access keys, principals and users that were revoked, and are in force again as revocations were forgotten. */
  readonly revived: readonly { readonly partition: string; readonly key: string }[];
}

/**
 * Unpacks a backup, puts it in the place of the store, and revokes again what was revoked since it was made, as the store
 * and the file of revocations know it. The service must not be running.
 * @throws AuthorizerError "invalid_request" for a file that is no whole backup, or one of another store
 */
export async function restoreBackup(
  values: ConfigValues,
  file: string,
  { forgetRevocations, keepSessions, warn }: RestoreBackupOptions,
): Promise<RestoredBackup> {
  if (values["database.type"] !== "local") {
    throw new AuthorizerError(
      "invalid_request",
      "a backup is restored into a local store (database.type: local)",
    );
  }
  const folder = localFolder(values);
  if (hasLocalStore(folder)) assertNotInUse(values);
  const next = `${folder}.restoring`;
  rmSync(next, { recursive: true, force: true });
  const head = await unpackBackup(file, next);
  const before = hasLocalStore(folder) ? await compared(values, next, head.log) : undefined;
  if (before === "unreadable")
    warn("the store in its place cannot be read: only what the file of revocations knows stays revoked");
  if (forgetRevocations) await forgetSince(revocationPath(values), next, head);
  else if (before !== undefined && before !== "unreadable") await noteRevoked(values, before);
  const kept = existsSync(folder) ? setAside(folder) : undefined;
  renameSync(next, folder);
  // The opening revokes again what the file says.
  const data = await openOfflineData(values, keepSessions);
  try {
    const { revision: replaced, revoked = [] } = before === "unreadable" ? {} : (before ?? {});
    const revived = forgetRevocations ? revoked : [];
    const names = revived.filter(({ partition }) => partition !== "claim");
    return {
      revision: head.revision,
      at: head.at,
      replaced,
      kept,
      held: data.heldRevocations,
      revived: names.map(({ partition, key }) => ({ partition, key })),
    };
  } finally {
    await data.close();
  }
}

/** Notes what was revoked, so that it is revoked again also if this process ends at once. */
async function noteRevoked(values: ConfigValues, { revoked, ...place }: Compared): Promise<void> {
  const { openRevocationFile } = await import("../../store/local/revocation-file.ts");
  const file = openRevocationFile({ path: revocationPath(values) });
  await file.note(place, toBeKept(revoked, place.revision, values["authorizer.history.keep"]));
  await file.close();
}

function setAside(folder: string): string {
  const kept = join(mkdtempSync(`${folder}.before-`), "store");
  renameSync(folder, kept);
  return dirname(kept);
}

/** The newest entry of the present store, and what was revoked. */
interface Compared extends LogPlace {
  readonly revoked: readonly RevokedState[];
}

/** Finds what the present store has revoked of the state that is to take its place. */
async function compared(values: ConfigValues, next: string, log: string): Promise<Compared | "unreadable"> {
  const { openLocalStoreReadOnly } = await import("../../store/local/local-store.ts");
  const compare = (): Promise<Compared> =>
    withOfflineStoreToRead(values, async (present) => {
      const { head } = present.history;
      if (head.log !== "" && head.log !== log) {
        const message =
          "the backup is of another store than the one in its place: empty that with svc-authorizer reset first";
        throw new AuthorizerError("invalid_request", message);
      }
      const past = await openLocalStoreReadOnly(next);
      try {
        const [entry] = (await present.changes(head.revision - 1, 1)) ?? [];
        const place = { revision: head.revision, id: entry?.id ?? "", log: head.log };
        return { ...place, revoked: await revokedSince(past, present) };
      } finally {
        await past.close();
      }
    });
  try {
    return await compare();
  } catch (error) {
    // A damaged store is why somebody restores a backup.
    if (error instanceof DamagedRecord || isErrorCode(error, "unavailable")) return "unreadable";
    throw error;
  }
}

const PAGE = 1_000;

/** Partitions whose records can be sealed with another key and say the same. */
const SEALED: ReadonlySet<string> = new Set(["key", "password"]);

function revokedSince(past: Store, present: Store): Promise<readonly RevokedState[]> {
  return withSnapshot(past, (then) =>
    withSnapshot(present, async (now) => {
      const revoked: RevokedState[] = [];
      for (const partition of ["key", "password", "principal", "user"]) {
        for await (const { key, value } of recordsOf(then, partition)) {
          const record = await now.get(partition, key);
          if (SEALED.has(partition) && record !== undefined && isSameSecret(value, record.value)) continue;
          const state = record && stateOf(partition, record.value);
          if (state !== stateOf(partition, value)) revoked.push({ partition, key, state: state ?? null });
        }
      }
      for await (const { key, value } of recordsOf(now, "claim")) {
        const state = stateOf("claim", value);
        revoked.push({ partition: "claim", key, state, expires: Number(state) });
      }
      return revoked;
    }),
  );
}

async function* recordsOf(snapshot: Snapshot, partition: string) {
  for (let after: string | undefined; ; ) {
    const page = await snapshot.scan(partition, { limit: PAGE, ...(after !== undefined && { after }) });
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.key;
  }
}
