/**
 * Loaded before everything else in each process of the tests (`NODE_OPTIONS`, see global-setup.ts): keeps a copy of what is
 * written to segments of decision logs and audit logs, wherever they are and however soon a test removes them.
 */
"use strict";

const { appendFileSync } = require("node:fs");
const promises = require("node:fs/promises");
const { syncBuiltinESMExports } = require("node:module");
const { join } = require("node:path");
const { threadId } = require("node:worker_threads");

const folder = process.env.KEPT_RECORDS;
const SEGMENT = /[/\\]\d{10}\.jsonl$/;
/** Bytes of one segment that are kept: logs of a million lines are measured, and all lines are alike. */
const MOST_BYTES = 64 * 1024 * 1024;
let count = 0;

if (folder !== undefined) {
  const { open } = promises;
  promises.open = async (path, flags, ...rest) => {
    const handle = await open(path, flags, ...rest);
    if (flags === "a" && typeof path === "string" && SEGMENT.test(path)) {
      copyOf(handle, join(folder, `${process.pid}-${threadId}-${++count}.jsonl`));
    }
    return handle;
  };
  syncBuiltinESMExports();
}

function copyOf(handle, file) {
  const write = handle.write.bind(handle);
  let kept = 0;
  handle.write = async (buffer, offset, ...rest) => {
    const result = await write(buffer, offset, ...rest);
    if (kept < MOST_BYTES) appendFileSync(file, buffer.subarray(offset, offset + result.bytesWritten));
    kept += result.bytesWritten;
    return result;
  };
}
