// Preloaded into svcctl by object-stores.test.ts: names below localhost are this machine, where the system knows them or not.
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";

const { lookup } = dns;
dns.lookup = (host, ...rest) => lookup(host.endsWith(".localhost") ? "127.0.0.1" : host, ...rest);
syncBuiltinESMExports();
