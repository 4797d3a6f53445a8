import type { Rooms } from "../../test/house/row.ts";

/** The room of `packages/contract`: generated types, which need nothing. */
export const CONTRACT_ROOMS: Rooms = { contract: { may: [] } };
