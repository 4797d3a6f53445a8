/** The service listener with the data-server API, over a directory that a test may put something around. */

import { changeLog } from "../../../src/compose/store/change-log.ts";
import type { Directory } from "../../../src/directory/directory.ts";
import { ReplicaRecords } from "../../../src/directory/read/replica-records.ts";
import { RepeatableSetup } from "../../../src/directory/write/repeatable-setup.ts";
import { TrustedProxies } from "../../../src/http/request/client-address.ts";
import type { ListedToken } from "../../../src/listeners/bearer.ts";
import { API_TOKEN, startService, type TestService, VERSION } from "../../http/service-kit.ts";

/** Most bytes of a body. */
export const MAX_BYTES = 20_000;

/** Options in which a test differs from the default. */
interface AuthorizationServiceOptions {
  readonly around?: (directory: Directory) => Directory;
  readonly tokens?: readonly ListedToken[];
}

/** Starts a listener with every API of programs on a free port, with nothing in its directory. */
export function startAuthorizationService({
  around = (directory) => directory,
  tokens = [],
}: AuthorizationServiceOptions = {}): Promise<TestService> {
  return startService({
    filled: false,
    bearer: { apiToken: API_TOKEN, tokens },
    limits: { bodyBytes: MAX_BYTES },
    more: ({ store, directory, catalog }) => ({
      dataServer: {
        directory: around(directory),
        setup: new RepeatableSetup(around(directory), catalog.preconfigured),
        policySet: catalog,
        vocabulary: catalog,
        audit: { event() {} },
        log: { warn() {} },
        version: VERSION,
      },
      authentication: {
        principals: undefined,
        codes: undefined,
        passwords: undefined,
        trusted: new TrustedProxies(["loopback"]),
        audit: { event() {} },
        limits: { anonymousBodyTimeoutMs: 10_000 },
      },
      scim: {
        directory,
        audit: { event() {} },
        isProtected: (name) => name === "Admins",
        tolerance: { unknownExtensions: "ignore", replaceWithoutMatch: "add" },
      },
      changes: {
        log: changeLog({ store, journal: undefined }),
        records: new ReplicaRecords(store),
        decisions: { partition: "svc", request_properties: "fill", policies_per_user: 10_000 },
      },
    }),
  });
}

/** A directory of which every use case fails. */
export function failing(directory: Directory, error: () => Error): Directory {
  const wrapped = (part: object): object =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (typeof value === "function") return () => Promise.reject(error());
        return typeof value === "object" && value !== null ? wrapped(value) : value;
      },
    });
  return wrapped(directory) as Directory;
}
