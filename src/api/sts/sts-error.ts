/** Refusals of the security token service, in the XML and with the codes of AWS's query API. */

import { AuthorizerError, isErrorCode } from "@svc-authorizer/policy/errors.ts";
import { xmlElement } from "@svc-authorizer/policy/html.ts";
import { type ErrorReply, errorReply } from "../../http/errors.ts";
import type { RawCall } from "../../http/route.ts";

/** Content type of all answers. */
export const XML = "text/xml";
/** Namespace of the answers. */
export const NAMESPACE = "https://sts.amazonaws.com/doc/2011-06-15/";

/** Codes of refusals, with their status. */
const STATUS = {
  AccessDenied: 403,
  IDPCommunicationError: 400,
  InvalidAction: 400,
  InvalidIdentityToken: 400,
  LimitExceeded: 400,
  MissingParameter: 400,
  ValidationError: 400,
} as const;

/** A refusal that the caller reads. */
export class StsRefused extends AuthorizerError {
  readonly stsCode: keyof typeof STATUS;

  constructor(stsCode: keyof typeof STATUS, message: string, cause?: unknown) {
    const isDenied = stsCode === "AccessDenied" || stsCode === "InvalidIdentityToken";
    super(isDenied ? "unauthenticated" : "invalid_request", message, { cause });
    this.name = "StsRefused";
    this.stsCode = stsCode;
  }
}

/** The answer to an error. */
export function stsRefusal(error: unknown, { requestId }: Pick<RawCall, "requestId">): ErrorReply {
  if (error instanceof StsRefused) {
    const { stsCode, message } = error;
    const body = errorXml({ type: "Sender", code: stsCode, message, requestId });
    return { status: STATUS[stsCode], body, type: XML, headers: [], recorded: true };
  }
  const reply = errorReply(error);
  const isOurs = reply.status >= 500;
  const code = isErrorCode(error, "invalid_request")
    ? "ValidationError"
    : isOurs
      ? "ServiceUnavailable"
      : "AccessDenied";
  const text = reply.errorId === undefined ? (error as Error).message : `internal error ${reply.errorId}`;
  const body = errorXml({ type: isOurs ? "Receiver" : "Sender", code, message: text, requestId });
  return { ...reply, body, type: XML };
}

function errorXml(error: {
  readonly type: "Sender" | "Receiver";
  readonly code: string;
  readonly message: string;
  readonly requestId: string;
}): string {
  const { type, code, message, requestId } = error;
  const content = [xmlElement("Type", type), xmlElement("Code", code), xmlElement("Message", message)].join(
    "",
  );
  return `<ErrorResponse xmlns="${NAMESPACE}"><Error>${content}</Error>${xmlElement("RequestId", requestId)}</ErrorResponse>`;
}
