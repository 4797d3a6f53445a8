/**
 * Looks through what a store has of mirrors (spec/mirroring §6): their records, and the progress of each, whose parts must not
 * contradict each other. A mirror acts on them: what is wrong in them is named here and by whoever acts, and never passed over.
 */

import { parseJsonText } from "@svc-authorizer/policy/json-text.ts";
import { everyRecord } from "../../store/every-record.ts";
import { DamagedRecord, type Snapshot, type Store, withSnapshot } from "../../store/port.ts";
import { MOST_MIRRORS } from "../mirror-records.ts";
import { overlaps } from "../names.ts";
import { MIRROR_RECORD } from "./mirror-shapes.ts";
import { type Finding, ProgressCheck } from "./progress-check.ts";
import type { Misfit } from "./shapes.ts";

const MIRRORS = "mirror";
const PROGRESS = "mirror_progress";
const KEY = /^([^/]+)\/(state|log\/(\d{10}))$/;

/** A record as it was read. */
interface ReadMirror {
  readonly uid: string;
  readonly region: string;
  readonly source_repository: string;
  readonly storage_namespace: string;
  readonly gone_at?: number;
}

/** Counts of what is stored of one mirror. */
export interface CheckedMirror {
  readonly mirror: string;
  /** Branches of the source that were seen. */
  readonly branches: number;
  /** Commits in the log of its progress, and those of them whose data, with that of all ancestors, was seen. */
  readonly recorded: number;
  readonly complete: number;
  /** False where no state is stored: nothing was done for it yet, or that was lost. It begins anew. */
  readonly has_state: boolean;
}

/** The result of a check. */
interface MirrorCheck {
  readonly mirrors: readonly CheckedMirror[];
  readonly findings: readonly Finding[];
}

/** Reads all that is stored of mirrors from one state. Changes nothing. */
export function checkMirrors(store: Store): Promise<MirrorCheck> {
  return withSnapshot(store, async (snapshot) => {
    const findings: Finding[] = [];
    const mirrors = await readMirrors(snapshot, findings);
    findings.push(...contradictions(mirrors));
    const checked = await readProgress(snapshot, mirrors, findings);
    return { mirrors: checked, findings };
  });
}

async function readMirrors(
  snapshot: Snapshot,
  findings: Finding[],
): Promise<ReadonlyMap<string, ReadMirror | undefined>> {
  const mirrors = new Map<string, ReadMirror | undefined>();
  for await (const found of everyRecord(snapshot, MIRRORS)) {
    const { key } = found;
    const value = found instanceof DamagedRecord ? undefined : parsed(found.value);
    if (found instanceof DamagedRecord) findings.push(damaged(MIRRORS, key));
    else {
      const wrong = value === undefined ? { at: "", message: "is no JSON" } : MIRROR_RECORD(value);
      if (wrong !== undefined) findings.push(misfitting(MIRRORS, key, wrong));
      if (wrong !== undefined && wrong.isUnknownMember !== true) {
        mirrors.set(key, undefined);
        continue;
      }
    }
    mirrors.set(key, value as ReadMirror | undefined);
  }
  return mirrors;
}

/** Contradictions of records with each other. */
function* contradictions(mirrors: ReadonlyMap<string, ReadMirror | undefined>): Generator<Finding> {
  if (mirrors.size > MOST_MIRRORS) {
    const message = `there are ${mirrors.size} mirrors, and ${MOST_MIRRORS} are read: the last ones are not read-only`;
    yield { kind: "mismatch", partition: MIRRORS, key: "", message };
  }
  const uids = new Map<string, string>();
  const before: [key: string, mirror: ReadMirror][] = [];
  for (const [key, mirror] of mirrors) {
    if (mirror === undefined) continue;
    const finding = (kind: Finding["kind"], message: string): Finding => ({
      kind,
      partition: MIRRORS,
      key,
      message,
    });
    const same = uids.get(mirror.uid);
    if (same !== undefined) yield finding("duplicate", `${same} has the same uid ${mirror.uid}`);
    uids.set(mirror.uid, key);
    if (mirrors.has(mirror.source_repository))
      yield finding("mismatch", `its source ${mirror.source_repository} is a mirror itself`);
    if (mirror.gone_at !== undefined) continue;
    const near = before.find(
      ([, one]) => one.region === mirror.region && overlaps(one.storage_namespace, mirror.storage_namespace),
    );
    if (near !== undefined)
      yield finding("mismatch", `its storage namespace is that of ${near[0]}, or inside`);
    before.push([key, mirror]);
  }
}

/** The progress of each mirror: its log, and behind that its state, as keys are ordered. */
async function readProgress(
  snapshot: Snapshot,
  mirrors: ReadonlyMap<string, ReadMirror | undefined>,
  findings: Finding[],
): Promise<readonly CheckedMirror[]> {
  const names = new Map([...mirrors].flatMap(([name, one]) => (one === undefined ? [] : [[one.uid, name]])));
  const checked = new Map<string, CheckedMirror>();
  let check: ProgressCheck | undefined;
  const end = (): void => {
    if (check === undefined) return;
    const name = names.get(check.uid);
    const hasUnread = [...mirrors.values()].includes(undefined);
    // It may be that of a record that cannot be read.
    if (name === undefined && !hasUnread)
      check.add("orphan", `${check.uid}/state`, "no mirror has this progress");
    check.end();
    findings.push(...check.findings);
    if (name !== undefined) checked.set(name, { mirror: name, ...check.counts });
  };
  for await (const found of everyRecord(snapshot, PROGRESS)) {
    const [, uid, what, piece] = KEY.exec(found.key) ?? [];
    if (uid === undefined) {
      findings.push(
        found instanceof DamagedRecord
          ? damaged(PROGRESS, found.key)
          : misfitting(PROGRESS, found.key, { at: "", message: "has a key that this version does not know" }),
      );
      continue;
    }
    if (check?.uid !== uid) {
      end();
      check = new ProgressCheck(uid);
    }
    if (found instanceof DamagedRecord) check.noteDamaged(found.key, what === "state");
    else if (what === "state") check.state(found.key, parsed(found.value));
    else check.piece(found.key, Number(piece), parsed(found.value));
  }
  end();
  const none = { branches: 0, recorded: 0, complete: 0, has_state: false };
  return [...mirrors.keys()].map((mirror) => checked.get(mirror) ?? { mirror, ...none });
}

function parsed(value: string): unknown {
  try {
    return parseJsonText(value);
  } catch {
    return undefined;
  }
}

function damaged(partition: string, key: string): Finding {
  const message = "its bytes are not those that were written: restore a backup";
  return { kind: "damaged", partition, key, message };
}

function misfitting(partition: string, key: string, { at, message, isUnknownMember }: Misfit): Finding {
  const kind = isUnknownMember === true ? "unknown_member" : "unreadable";
  return { kind, partition, key, message: at === "" ? `it ${message}` : `its ${at} ${message}` };
}
