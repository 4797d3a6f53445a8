/**
 * A stand-in for a data server and its object store: every object below `main` has the size that its name ends with, in
 * bytes. It keeps nothing of what is uploaded.
 */
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { finished } from "node:stream/promises";

/** The content of every object, again and again. */
const BLOCK = Buffer.from(randomBytes(1024).toString("hex").repeat(512));

/** Checksums by range of a content, such as `0-1024`. */
const checksums = new Map<string, string>();

/** The rest of the block from a position on. */
const at = (position: number): Buffer => BLOCK.subarray(position % BLOCK.length);

function md5(start: number, end: number): string {
  const key = `${start}-${end}`;
  const known = checksums.get(key);
  if (known !== undefined) return known;
  const hash = createHash("md5");
  for (let position = start; position < end; ) {
    const part = at(position).subarray(0, end - position);
    hash.update(part);
    position += part.length;
  }
  const checksum = hash.digest("hex");
  checksums.set(key, checksum);
  return checksum;
}

const json = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));

async function send(response: ServerResponse, start: number, end: number): Promise<void> {
  for (let position = start; position < end; ) {
    const part = at(position).subarray(0, end - position);
    position += part.length;
    if (!response.write(part)) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end();
}

const sizeIn = (name: string): number => Number(/\d+$/.exec(name)?.[0] ?? 0);
const statsOf = (path: string): object => {
  const size = sizeIn(path);
  return { path, path_type: "object", size_bytes: size, checksum: md5(0, size), mtime: 0 };
};

/** Parts of an upload: as large as `svcctl` makes them. */
const PART_BYTES = 5 * 1024 * 1024;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "", `http://${request.headers.host}`);
  const [name, path] = [url.pathname.split("/").at(-1) ?? "", url.searchParams.get("path") ?? ""];
  if (request.method === "PUT" && url.pathname.startsWith("/store/")) {
    await finished(request.resume());
    const [start = 0, end = 0] = name.split("-").map(Number);
    return void response.writeHead(200, { etag: `"${md5(start, end)}"` }).end();
  }
  if (name === "config") {
    return json(response, 200, {
      storage_config: { pre_sign_support: true, pre_sign_multipart_upload: true },
    });
  }
  if (name === "ls") {
    const [, count = 0, size = 0] =
      /^download\/(\d+)x(\d+)\/$/.exec(url.searchParams.get("prefix") ?? "") ?? [];
    const names = Array.from(
      { length: Number(count) },
      (_, index) => `download/${count}x${size}/${index}-${size}`,
    );
    return json(response, 200, { results: names.map(statsOf), pagination: { has_more: false } });
  }
  if (name === "stat") return json(response, 200, statsOf(path));
  if (name === "pmpu" && request.method === "POST") {
    const size = sizeIn(path);
    const urls = Array.from({ length: Number(url.searchParams.get("parts")) }, (_, part) => {
      const start = part * PART_BYTES;
      return `${url.origin}/store/${start}-${Math.min(size, start + PART_BYTES)}`;
    });
    return json(response, 201, { upload_id: "1", physical_address: "s3://store/1", presigned_urls: urls });
  }
  await finished(request.resume());
  if (request.method !== "GET") return json(response, request.method === "PUT" ? 200 : 201, statsOf(path));
  const [start = 0, last = sizeIn(path) - 1] = (/\d+-\d+/.exec(request.headers.range ?? "")?.[0] ?? "")
    .split("-")
    .filter((text) => text !== "")
    .map(Number);
  const status = request.headers.range === undefined ? 200 : 206;
  response.writeHead(status, { "content-length": last + 1 - start });
  await send(response, start, last + 1);
}

const server = createServer((request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () =>
  console.log(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
process.on("SIGTERM", () => process.exit(0));
