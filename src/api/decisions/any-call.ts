/** A call whose rights were found out before: by a service with the scope, or by a user with the permission. */

import type { Call, Caller } from "../../http/route.ts";

/** The call. */
export type AnyCall = Call<Caller>;
