/**
 * Two stand-ins for data servers, one with a large repository, whose store the other one has: every object of the first commit
 * is in ranges of 50,000, and each further commit changes one of ten small ones. A third listener tells the calls that were made
 * since it was asked last, and makes a commit that changes ten objects of the large ranges.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Entry, writeMetaRange, writeRange } from "../../test/mirroring/stand-in/content.ts";
import { StandIn } from "../../test/mirroring/stand-in/stand-in.ts";

const [commits = 0, objects = 0] = process.argv.slice(2).map(Number);
const PER_RANGE = 50_000;
const SMALL = 10;
const CHANGED = 10;
const CONTENT = Buffer.from("content");
type Range = (readonly [path: string, entry: Entry])[];

const [source, destination] = [await StandIn.start(), await StandIn.start()];
const repository = source.create("large");
const { store, namespace } = repository;
let addresses = 0;

/** A new object. */
function newEntry(): Entry {
  addresses += 1;
  const address = `data/${addresses}`;
  store.set(`${namespace}/${address}`, CONTENT);
  return { address, size: CONTENT.length };
}

const large: Range[] = [];
for (let at = 0; at < objects - SMALL; at += 1) {
  if (at % PER_RANGE === 0) large.push([]);
  large.at(-1)?.push([`large/${String(at).padStart(9, "0")}`, newEntry()]);
}
const small: Range = Array.from({ length: SMALL }, (_, at) => [`small/${at}`, newEntry()]);
const tables = large.map((range) => writeRange(store, namespace, range));

function commit(): void {
  const ranges = [...tables, writeRange(store, namespace, small)];
  repository.commitMetaRange("main", writeMetaRange(store, namespace, ranges));
}

commit();
for (let at = 1; at < commits; at += 1) {
  small[at % SMALL] = [small[at % SMALL]?.[0] ?? "", newEntry()];
  commit();
}

/** Copies everything at once, as the replication of an object store does in the end. */
function replicate(): void {
  for (const [key, bytes] of store)
    destination.store.set(key.replace("local://large/", "local://copy/"), bytes);
}

function changeTen(): void {
  for (let at = 0; at < CHANGED; at += 1) {
    const index = Math.floor((at * large.length) / CHANGED);
    const range = large[index] ?? [];
    const place = Math.floor(range.length / 2) + at;
    range[place] = [range[place]?.[0] ?? "", newEntry()];
    tables[index] = writeRange(store, namespace, range);
  }
  commit();
  replicate();
}

replicate();
const control = createServer((request, response) => {
  if (request.method === "POST") changeTen();
  const calls = [source, destination].map((one) => Object.fromEntries(one.calls));
  for (const one of [source, destination]) one.calls.clear();
  response.end(JSON.stringify({ source: calls[0], destination: calls[1] }));
});
control.listen(0, "127.0.0.1", () => {
  const { port } = control.address() as AddressInfo;
  console.log(`ready source=${source.url} destination=${destination.url} control=http://127.0.0.1:${port}`);
});
process.on("SIGTERM", () => process.exit(0));
