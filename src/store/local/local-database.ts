/** The type of the LMDB database below the local store. */

import type { RootDatabase } from "lmdb";
import type { ReadRecord } from "./layout.ts";

/** The database: written with versioned values, read as records. */
export type LocalDatabase = RootDatabase<ReadRecord, Buffer>;
