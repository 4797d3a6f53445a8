/** Removes the progress of mirrors that are no more: whoever forgot one may have ended before that was gone, too. */

import { type Store, withSnapshot } from "../../store/port.ts";
import { recordsIn } from "../mirror-records.ts";
import { PARTITION, Progress } from "./progress.ts";

/**
 * Removes it. A mirror has a record before it has progress, and uids are never used again: both are read from one state, so
 * that the progress of no mirror is taken for left over.
 * @returns the number of mirrors of which something was left
 */
export async function sweepProgress(store: Store): Promise<number> {
  const { base, left } = await withSnapshot(store, async (snapshot) => {
    const known = new Set((await recordsIn(snapshot)).map(({ mirror }) => mirror.uid));
    const left: string[] = [];
    for (let after = ""; ; ) {
      const [next] = await snapshot.scan(PARTITION, { limit: 1, ...(after !== "" && { after }) });
      if (next === undefined) return { base: snapshot.base, left };
      const end = next.key.indexOf("/");
      const uid = next.key.slice(0, Math.max(end, 0));
      if (uid !== "" && !known.has(uid)) left.push(uid);
      // "0" is the character behind "/": what follows is of the next mirror.
      after = uid === "" ? next.key : `${uid}0`;
    }
  });
  for (const uid of left) await Progress.forget(store, uid, { base });
  return left.length;
}
