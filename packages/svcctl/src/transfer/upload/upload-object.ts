/** Uploads one object: through the data server, or past it with pre-signed URLs, in one piece or in parts. */

import type { JsonObject } from "../../api/api-client.ts";
import { textField } from "../../output/fields.ts";
import type { ContentLink } from "../connection/content-link.ts";
import { readAnswer } from "../connection/read-answer.ts";
import type { PresignMode } from "../presign-mode.ts";
import { compareChecksums, measuredBody, storedChecksum, storeHeaders, type Upload } from "./upload-body.ts";
import { MULTIPART_BYTES, uploadParts } from "./upload-parts.ts";

/**
 * Uploads, and compares the checksum of what arrived.
 * @returns the object as the data server describes it
 * @throws Error when another content arrived than was sent
 */
export function uploadObject(link: ContentLink, upload: Upload, mode: PresignMode): Promise<JsonObject> {
  if (!mode.presign) return uploadThroughServer(link, upload);
  if (mode.multipart && upload.source.size >= MULTIPART_BYTES) return uploadParts(link, upload);
  return uploadToStore(link, upload);
}

/** Metadata with this prefix is the server's own and travels in headers of another name. */
const INTERNAL = "::lakefs::";

async function uploadThroughServer(link: ContentLink, upload: Upload): Promise<JsonObject> {
  const { place, traits } = upload;
  const path = ["repositories", place.repository, "branches", place.ref, "objects"];
  const headers: Record<string, string> = {
    "content-type": traits.contentType || "application/octet-stream",
  };
  for (const [name, value] of Object.entries(traits.metadata)) {
    const key = name.toLowerCase();
    headers[
      key.startsWith(INTERNAL) ? `x-lakefs-internal-${key.slice(INTERNAL.length)}` : `x-lakefs-meta-${key}`
    ] = value;
  }
  const { body, digest } = measuredBody(upload, [0, upload.source.size], link.comparesAll);
  const call = { method: "POST", path, query: { path: place.path } } as const;
  const stats = await link.askServer(call, { headers, body, signal: upload.signal }, async (answer) => {
    const { status, json } = await readAnswer(answer);
    if (status !== 201) throw new Error(`got unexpected status code: ${status}, expected: 201`);
    return json;
  });
  compareChecksums(place.path, digest(), textField(stats, "checksum"));
  return stats;
}

async function uploadToStore(link: ContentLink, upload: Upload): Promise<JsonObject> {
  const { api } = link;
  const { place, source, traits, signal } = upload;
  const backing = ["repositories", place.repository, "branches", place.ref, "staging", "backing"];
  const query = { path: place.path };
  const staging = await api.fetchObject({
    method: "GET",
    path: backing,
    query: { ...query, presign: true },
    expect: 200,
  });
  const url = textField(staging, "presigned_url");
  const { body, digest } = measuredBody(upload, [0, source.size], true);
  const headers = storeHeaders(url, traits.contentType);
  const checksum = await link.askStore("PUT", url, { headers, body, signal }, async (answer) => {
    await readAnswer(answer);
    return storedChecksum(answer, place.path, digest);
  });
  const linked = {
    checksum,
    size_bytes: source.size,
    staging,
    user_metadata: traits.metadata,
    content_type: traits.contentType,
  };
  return api.fetchObject({ method: "PUT", path: backing, query, body: linked, expect: 200 });
}
