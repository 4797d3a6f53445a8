/** What the HTTP edge needs from others; `observe/` and `compose.ts` provide it. */

/** One answered request, for the log. Holds no secret: no header, no body, no query. */
export interface RequestLogEntry {
  /** "" where the caller sent none and none was made. */
  readonly request_id: string;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly status: number;
  readonly duration_ms: number;
  /** Name of the token that the caller showed; absent where none was needed or it was refused. */
  readonly caller?: string;
  /** Address of the peer. */
  readonly peer?: string;
}

/** Something that went wrong inside; the caller was told only the id. */
export interface FailureLogEntry {
  /** Id that the caller was told. */
  readonly error_id: string;
  readonly request_id: string;
  readonly path: string;
  readonly error: unknown;
}

/** A refused attempt to authenticate (security.md §5.2). */
export interface RefusedCaller {
  readonly request_id: string;
  readonly path: string;
  readonly status: 401 | 403;
  readonly message: string;
  readonly caller?: string;
  readonly peer?: string;
  /** The access key that the attempt names: claimed, not proved. */
  readonly access_key_id?: string;
}

/** Port: the log of the listeners. */
export interface HttpLog {
  /** Whether {@link HttpLog.request} wants entries; asked for each request, so that off costs nothing. */
  readonly requests: boolean;
  request(entry: RequestLogEntry): void;
  failure(entry: FailureLogEntry): void;
  /** A failed authentication or a missing scope; rate-limiting what it writes is up to the log. */
  refused(entry: RefusedCaller): void;
}
