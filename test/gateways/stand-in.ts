/** Stands in for a data server: answers everything as S3 and the main API might, and records what reached it. */

import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that reached the data server. */
interface Reached {
  readonly method: string;
  /** Raw request target. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

/** The server. */
export interface StandIn {
  readonly port: number;
  readonly reached: Reached[];
  close(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export async function startStandIn(): Promise<StandIn> {
  const reached: Reached[] = [];
  const server = createServer((request, response) => {
    let bytes = 0;
    request.on("data", (piece: Buffer) => {
      bytes += piece.length;
    });
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      reached.push({ method, target: url, headers, bytes });
      const { body, type } = answerTo(request);
      response.writeHead(200, {
        "content-type": type,
        etag: '"e"',
        "content-length": Buffer.byteLength(body),
      });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    reached,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answerTo({ method, url = "", headers }: IncomingMessage): { body: string; type: string } {
  const { pathname, searchParams } = new URL(url, "http://data");
  if (pathname.startsWith("/api/")) return { body: "{}", type: "application/json" };
  if (method === "POST" && searchParams.has("uploads"))
    return xml("InitiateMultipartUploadResult", "<UploadId>u</UploadId>");
  if (method === "POST" && searchParams.has("uploadId"))
    return xml("CompleteMultipartUploadResult", "<ETag>e</ETag>");
  if (method === "POST" && searchParams.has("delete")) return xml("DeleteResult", "");
  if (headers["x-amz-copy-source"] !== undefined) return xml("CopyObjectResult", "<ETag>e</ETag>");
  if (method === "GET" && searchParams.has("list-type"))
    return xml("ListBucketResult", "<KeyCount>0</KeyCount>");
  if (method === "GET" && pathname === "/") return xml("ListAllMyBucketsResult", "");
  return { body: method === "GET" ? "content" : "", type: "application/octet-stream" };
}

function xml(name: string, content: string): { body: string; type: string } {
  return { body: `<?xml version="1.0"?><${name}>${content}</${name}>`, type: "application/xml" };
}
