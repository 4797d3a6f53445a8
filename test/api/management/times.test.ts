/** Times in the queries of the management API. */

import { expect, it } from "vitest";
import { timeOf } from "../../../src/api/management/access/access-calls.ts";
import { RECORD_FILTERS, recordQuery } from "../../../src/api/management/records/record-query.ts";

it.each(["2026-02-30T00:00:00Z", "2025-02-29T00:00:00+02:00", "2026-01-01T24:00:00Z"])(
  "%s is none",
  (text) => {
    expect(() => timeOf(text, "since", 1)).toThrow("must be a date and time");
    const query = new Map([["since", text]]);
    expect(() => recordQuery(query as never, RECORD_FILTERS)).toThrow();
  },
);
