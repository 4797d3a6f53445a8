/**
 * Has LMDB open the folder given to read it, again and again, with nothing that makes good what LMDB writes then: as earlier
 * versions of this program did. Prints `open` the first time.
 */

import { writeSync } from "node:fs";
import { open } from "lmdb";

const [path] = process.argv.slice(2);
for (let isFirst = true; ; isFirst = false) {
  await open({ path: path!, noSubdir: false, readOnly: true, maxDbs: 1, keyEncoding: "binary" }).close();
  if (isFirst) writeSync(1, "open\n");
}
