/** New records as they are written, by server-sent events. */

import type { DecisionRecord } from "@svc-authorizer/contract/management-api.gen.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { type RecordFilter, searchOf } from "./filter.ts";

/** Records that came in after which the list is asked for again, which has the older ones. */
const MANY = 200;

/** The records that came in since, newest first. */
interface LiveRecords {
  readonly records: readonly DecisionRecord[];
  /** Says that the connection is broken; it is made again by itself. */
  readonly problem: string | undefined;
}

/**
 * Follows the records that a filter selects; nothing while there is none. The stream has only what is written while it is
 * connected, so that the list below is asked for again at each connection: nothing between the two is missing.
 * @param renew asks for the list again, and returns true where that was answered
 */
export function useLiveRecords(filter: RecordFilter | undefined, renew: () => Promise<boolean>): LiveRecords {
  const [records, setRecords] = useState<readonly DecisionRecord[]>([]);
  const [problem, setProblem] = useState<string>();
  const latest = useRef(renew);
  latest.current = renew;
  const search = filter && searchOf(filter, {});
  useEffect(() => {
    setRecords([]);
    setProblem(undefined);
    if (search === undefined) return undefined;
    const source = new EventSource(`/api/v1/decisions/stream${search}`);
    let kept = 0;
    let isRenewing = false;
    const renewed = async (): Promise<void> => {
      isRenewing = true;
      const before = kept;
      if (await latest.current().catch(() => false)) {
        kept -= before;
        const left = kept;
        setRecords((all) => all.slice(0, left));
      }
      isRenewing = false;
    };
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const record: DecisionRecord = JSON.parse(data);
      kept++;
      setRecords((before) => [record, ...before]);
      if (kept > MANY && !isRenewing) void renewed();
    };
    source.onopen = () => {
      setProblem(undefined);
      void renewed();
    };
    source.onerror = () => setProblem("New records do not arrive at the moment. The browser tries again.");
    return () => source.close();
  }, [search]);
  return { records, problem };
}
