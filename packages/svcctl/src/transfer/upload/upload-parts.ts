/** Uploads one object in parts with pre-signed URLs, several at once. */

import { forEachParallel } from "@svc-authorizer/commands/for-each-parallel.ts";
import type { JsonObject } from "../../api/api-client.ts";
import { textField } from "../../output/fields.ts";
import type { ContentLink } from "../connection/content-link.ts";
import { readAnswer } from "../connection/read-answer.ts";
import { measuredBody, storedChecksum, type Upload } from "./upload-body.ts";

/** Size of a part, and of the smallest object that is uploaded in parts, in bytes. */
export const MULTIPART_BYTES = 5 * 1024 * 1024;
const MOST_PARTS = 10_000;
const PARTS_AT_ONCE = 5;

/** An upload in parts that the server began. */
interface Begun {
  readonly id: string;
  readonly physicalAddress: string;
  readonly urls: readonly string[];
}

/**
 * Uploads all parts and puts them together. After a failure, the parts that arrived are given up.
 * @returns the object as the data server describes it
 */
export async function uploadParts(link: ContentLink, upload: Upload): Promise<JsonObject> {
  const { place, source, traits } = upload;
  const size = Math.max(MULTIPART_BYTES, Math.floor(source.size / MOST_PARTS) + 1);
  const count = Math.ceil(source.size / size);
  const path = ["repositories", place.repository, "branches", place.ref, "staging", "pmpu"];
  const query = { path: place.path };
  const begun = await begin(link, path, { ...query, parts: count });
  const ofUpload = [...path, begun.id];
  const named = { physical_address: begun.physicalAddress };
  const etags: string[] = [];
  const numbers = begun.urls.length === count ? Array.from({ length: count }, (_, index) => index) : [];
  try {
    if (numbers.length === 0) throw new Error(`expected ${count} presigned urls, got ${begun.urls.length}`);
    const sendPart = async (index: number, signal: AbortSignal): Promise<void> => {
      const start = index * size;
      const range = [start, Math.min(start + size, source.size)] as const;
      const { body, digest } = measuredBody(upload, range, true);
      const url = await freshUrl(
        link,
        [...ofUpload, "parts", String(index + 1)],
        query,
        named,
        begun.urls[index] ?? "",
      );
      const headers: Record<string, string> =
        traits.contentType === "" ? {} : { "content-type": traits.contentType };
      etags[index] = await link.askStore("PUT", url, { headers, body, signal }, async (answer) => {
        await readAnswer(answer);
        return storedChecksum(answer, `${place.path}, part ${index + 1}`, digest);
      });
    };
    await forEachParallel(numbers, PARTS_AT_ONCE, sendPart, upload.signal);
  } catch (error) {
    // What is left of the upload costs money at the store until somebody gives it up.
    await link.api
      .perform({ method: "DELETE", path: ofUpload, query, body: named, expect: 204 })
      .catch(() => {});
    throw error;
  }
  const whole = {
    ...named,
    parts: etags.map((etag, index) => ({ part_number: index + 1, etag })),
    user_metadata: traits.metadata,
    content_type: traits.contentType,
  };
  return link.api.fetchObject({ method: "PUT", path: ofUpload, query, body: whole, expect: 200 });
}

async function begin(
  { api }: ContentLink,
  path: readonly string[],
  query: { readonly path: string; readonly parts: number },
): Promise<Begun> {
  const answer = await api.fetchObject({ method: "POST", path, query, expect: 201 });
  const urls: unknown = answer["presigned_urls"];
  return {
    id: textField(answer, "upload_id"),
    physicalAddress: textField(answer, "physical_address"),
    urls: Array.isArray(urls) ? urls.map(String) : [],
  };
}

/** Seconds before its end at which a URL counts as expired: a store looks when an upload begins. */
const MARGIN_SECONDS = 15;

/** The URL of a part; a new one where the one that was given expired while others were uploaded. */
async function freshUrl(
  { api }: ContentLink,
  path: readonly string[],
  query: { readonly path: string },
  body: { readonly physical_address: string },
  url: string,
): Promise<string> {
  if (!hasExpired(url)) return url;
  const answer = await api.fetchObject({ method: "PUT", path, query, body, expect: 200 });
  return textField(answer, "presigned_url");
}

function hasExpired(url: string): boolean {
  const { searchParams } = new URL(url);
  const signed = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(searchParams.get("X-Amz-Date") ?? "");
  const seconds = Number(searchParams.get("X-Amz-Expires") ?? Number.NaN);
  if (signed === null || Number.isNaN(seconds)) return false;
  const [, year, month, day, hour, minute, second] = signed;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Date.now() > at + (seconds - MARGIN_SECONDS) * 1000;
}
