/** New records as they are written, by server-sent events. */

import type { DecisionRecord } from "@svc-authorizer/contract/management-api.gen.ts";
import { useEffect, useState } from "preact/hooks";
import { type RecordFilter, searchOf } from "./filter.ts";

/** Most records that are kept; the page of the list has the older ones. */
const MOST_KEPT = 200;

/** The records that came in since, newest first. */
interface LiveRecords {
  readonly records: readonly DecisionRecord[];
  /** Says that the connection is broken; it is made again by itself. */
  readonly problem: string | undefined;
}

/** Follows the records that a filter selects; nothing while there is none. */
export function useLiveRecords(filter: RecordFilter | undefined): LiveRecords {
  const [records, setRecords] = useState<readonly DecisionRecord[]>([]);
  const [problem, setProblem] = useState<string>();
  const search = filter && searchOf(filter, {});
  useEffect(() => {
    setRecords([]);
    setProblem(undefined);
    if (search === undefined) return undefined;
    const source = new EventSource(`/api/v1/decisions/stream${search}`);
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const record: DecisionRecord = JSON.parse(data);
      setRecords((before) => [record, ...before].slice(0, MOST_KEPT));
    };
    source.onopen = () => setProblem(undefined);
    source.onerror = () => setProblem("New records do not arrive at the moment. The browser tries again.");
    return () => source.close();
  }, [search]);
  return { records, problem };
}
