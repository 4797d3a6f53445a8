/** Failures of the network. */

/** Codes of errors before anything was sent. */
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** No answer came: connection refused, name unknown, certificate not trusted, too slow. */
export class TransportFailure extends Error {
  override readonly name = "TransportFailure";
  /** False where trying again cannot help. */
  readonly temporary: boolean;
  /** True where the certificate is the reason. */
  readonly untrusted: boolean;
  /** False where the request did not reach the server. */
  readonly mayHaveArrived: boolean;

  constructor(message: string, temporary: boolean, cause?: unknown, untrusted = false) {
    super(message, { cause });
    this.temporary = temporary;
    this.untrusted = untrusted;
    this.mayHaveArrived = temporary && !UNSENT.test(codeOf(cause));
  }
}

/** Codes of errors about certificates. */
const UNTRUSTED = /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/;

/** Codes of other errors that do not go away with another try. */
const PERMANENT = /^(ERR_INVALID_|UND_ERR_INVALID|ERR_SSL_WRONG_VERSION_NUMBER|EPROTO)/;

/** Errors of OpenSSL name a place in its sources, which helps no reader of the message. */
const OPENSSL = /^(?:write EPROTO )?[0-9A-F]+:error:[0-9A-F]+:SSL routines:[^:]*:([^:]+):[\s\S]*$/;

/** The failure that an error of the network stands for. */
export function transportFailure(error: unknown, timeoutMs: number): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const inner = innerOf(error);
  const { name, message } = inner as NodeJS.ErrnoException;
  const code = codeOf(error);
  const untrusted = UNTRUSTED.test(code);
  const text = name === "TimeoutError" ? `no answer within ${timeoutMs / 1000} seconds` : message || code;
  const permanent =
    untrusted ||
    PERMANENT.test(code) ||
    message === "redirect count exceeded" ||
    message === "unexpected redirect" ||
    message === "unknown scheme";
  return new TransportFailure(text.replace(OPENSSL, "TLS: $1"), !permanent, error, untrusted);
}

/** The error within that of a call. */
function innerOf(error: unknown): unknown {
  const { cause } = (error ?? {}) as { cause?: unknown };
  return firstOf(cause instanceof Error ? cause : error);
}

function codeOf(error: unknown): string {
  const { code = "" } = (innerOf(error) ?? {}) as { code?: unknown };
  return String(code);
}

/** Of several addresses that were tried, the failure of the first one. */
function firstOf(error: unknown): unknown {
  return error instanceof AggregateError ? (error.errors[0] ?? error) : error;
}
