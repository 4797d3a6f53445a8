/** Asks for the content of an object. */

import type { ContentLink, ContentRequest } from "../connection/content-link.ts";
import type { StreamAnswer } from "../connection/http-exchange.ts";
import type { Progress } from "../progress.ts";
import type { ObjectPlace } from "../upload/upload-body.ts";

/** A download. */
export interface Download {
  readonly place: ObjectPlace;
  /** Size in bytes and checksum, as the data server describes the object. */
  readonly stats: { readonly size: number; readonly checksum: string };
  /** The file; what is there is replaced. */
  readonly file: string;
  readonly presign: boolean;
  /** Larger objects are downloaded in parts of this many bytes. */
  readonly partSize: number;
  readonly progress: Progress;
  /** Tells people something. */
  readonly warn: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
}

/** Asks for the content, or a range of it, where the mode says to. */
export function fetchContent<T>(
  link: ContentLink,
  { place, presign, signal }: Pick<Download, "place" | "presign" | "signal">,
  part: Pick<ContentRequest, "range">,
  take: (answer: StreamAnswer) => Promise<T>,
): Promise<T> {
  const path = ["repositories", place.repository, "refs", place.ref, "objects"];
  const query = { path: place.path, ...(presign && { presign }) };
  return link.askServer({ method: "GET", path, query }, { ...part, signal }, take);
}
