/** Calls of the management API (spec/management-cli §1, spec/management-cli §3). */

import { release } from "node:os";
import { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import type { ApiAnswer } from "@svc-authorizer/commands/rest-client/attempt.ts";
import { RestClient, type RestRequest } from "@svc-authorizer/commands/rest-client/rest-client.ts";
import {
  type FailedAttempt,
  mayHaveArrived,
  withRetries,
} from "@svc-authorizer/commands/rest-client/retries.ts";
import { safeMessage, safeText } from "@svc-authorizer/commands/safe-text.ts";
import type { Problem } from "@svc-authorizer/policy/errors.ts";
import {
  FORGET_AT,
  minimumHeaders,
  newerRevision,
  parseRevision,
  type Revision,
} from "@svc-authorizer/policy/revision.ts";
import type { CommandContext } from "../command-context.ts";
import { requestLog } from "../request-log.ts";
import { providerFault } from "../settings/credentials-provider.ts";
import { loadSettings, type Settings } from "../settings/load-settings.ts";
import { adviceOnRefusal, adviceOnSilence, adviceOnStranger } from "./advice.ts";
import { authorizationOf } from "./authorization.ts";
import { apiBase } from "./endpoint.ts";

/** One call. */
export interface Call extends RestRequest {
  /** The status that means success. */
  readonly expect: number;
  /** Members without which a JSON object is no answer to the call. */
  readonly members?: readonly string[];
  /** Hears of each try without an answer that may have reached the server: what it was to make may have been made. */
  readonly onUnsettledTry?: () => void;
}

/** An answer's JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Calls the server that the configuration names, as the user it names. */
export class ApiClient {
  readonly settings: Settings;
  /** Headers that every call sends: the caller, and the program. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #rest: RestClient;
  readonly #context: CommandContext;
  #revision: Revision | undefined;

  /**
   * @param timeoutMs time for one try; default 30,000
   * @param beside path of another API of the server
   */
  constructor(context: CommandContext, settings: Settings, timeoutMs?: number, beside?: string) {
    this.settings = settings;
    this.#context = context;
    this.headers = headersOf(context, settings);
    this.#rest = new RestClient({
      base: apiBase(settings.endpointUrl, beside),
      headers: this.headers,
      retries: settings.retries,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
  }

  /**
   * The JSON object that answers a call.
   * @throws ApiFailure for a status of 400 or more, Error for anything else that is not the success expected
   */
  async fetchObject(call: Call): Promise<JsonObject> {
    const { json } = await this.#settle(call);
    const { members = [] } = call;
    const isObject = typeof json === "object" && json !== null && !Array.isArray(json);
    if (!isObject || members.some((name) => (json as JsonObject)[name] === undefined)) {
      this.#context.advise(adviceOnStranger(this.settings));
      throw new Error("Bad response from server");
    }
    return json as JsonObject;
  }

  /** Makes a call whose answer is no JSON object. Throws as {@link fetchObject}. */
  perform(call: Call): Promise<ApiAnswer> {
    return this.#settle(call);
  }

  /** The answer to a call, whatever its status. Throws only when there is none. */
  async ask(call: RestRequest & Pick<Call, "onUnsettledTry">): Promise<ApiAnswer> {
    const { method, onUnsettledTry = () => {} } = call;
    const url = this.#rest.urlOf(call);
    const onFailedTry = this.#onFailedTry({ method, url });
    const onEachFailed = (failed: FailedAttempt): void => {
      if (failed.mayHaveArrived) onUnsettledTry();
      onFailedTry(failed);
    };
    const answer = await this.#atRevision(call, onEachFailed).catch((error: unknown) => {
      if (mayHaveArrived(error)) onUnsettledTry();
      return this.#fail(error);
    });
    requestLog(this.#context)("debug", "answered", { method, url, status: answer.status });
    return answer;
  }

  /** Absolute URL of a call. */
  urlOf(call: Pick<RestRequest, "path" | "query">): string {
    return this.#rest.urlOf(call);
  }

  /**
   * Makes tries of an exchange that this client does not make itself, with the settings for retries.
   * @param request named in logs and messages; its URL holds no secret
   */
  async tries<T>(
    request: { readonly method: string; readonly url: string },
    tryOnce: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const onFailedTry = this.#onFailedTry(request);
    try {
      const result = await withRetries(request, this.settings.retries, onFailedTry, tryOnce, signal);
      requestLog(this.#context)("debug", "answered", request);
      return result;
    } catch (error) {
      return this.#fail(error);
    }
  }

  #onFailedTry({ method, url }: { method: string; url: string }): (failed: FailedAttempt) => void {
    const log = requestLog(this.#context);
    return (failed) => {
      log("warn", "trying again", { method, url, reason: failed.reason });
      this.#showProgress(method, failed);
    };
  }

  #fail(error: unknown): never {
    this.#context.advise(adviceOnSilence(error, this.settings));
    throw error;
  }

  /** Asks for the highest revision at least that an earlier answer named. */
  async #atRevision(call: RestRequest, onFailedAttempt: (failed: FailedAttempt) => void): Promise<ApiAnswer> {
    if (this.#revision === undefined) return this.#taken(await this.#rest.ask(call, onFailedAttempt));
    const headers = { ...call.headers, ...minimumHeaders(this.#revision) };
    const answer = await this.#rest.ask({ ...call, headers }, onFailedAttempt);
    if (answer.status !== 409 || !FORGET_AT.has(codeOf(answer))) return this.#taken(answer);
    this.#revision = undefined;
    // What this command has seen or written is no more: it must not write on.
    if (codeOf(answer) === "went_back" && call.method !== "GET") return answer;
    return this.#taken(await this.#rest.ask(call, onFailedAttempt));
  }

  #taken(answer: ApiAnswer): ApiAnswer {
    const seen = parseRevision(answer.revision, answer.position);
    if (seen !== undefined) this.#revision = newerRevision(this.#revision, seen);
    return answer;
  }

  async #settle(call: Call): Promise<ApiAnswer> {
    const answer = await this.ask(call);
    if (answer.status >= 400) {
      const failure = apiFailure(answer);
      this.#context.advise(adviceOnRefusal(failure, this.settings));
      throw failure;
    }
    for (const text of answer.warnings) this.#context.err(`warning: ${text}\n`);
    if (answer.status !== call.expect) {
      throw new Error(`got unexpected status code: ${answer.status}, expected: ${call.expect}`);
    }
    return answer;
  }

  #showProgress(method: string, { reason, waitMs, attempt, attempts }: FailedAttempt): void {
    if (this.#context.edge.stderr.isTTY !== true) return;
    const seconds = (waitMs / 1000).toFixed(1);
    this.#context.err(
      `${method}: ${safeText(reason)}; trying again in ${seconds} s (${attempt + 1} of ${attempts})\n`,
    );
  }
}

/** The client for a command. Throws when the configuration is faulty. */
export function openApi(context: CommandContext, timeoutMs?: number, beside?: string): ApiClient {
  const settings = loadSettings(context);
  const fault = providerFault(settings);
  if (fault !== undefined) throw new Error(fault);
  return new ApiClient(context, settings, timeoutMs, beside);
}

/** Reads an answer with status 400 or higher. */
export function apiFailure({ status, statusLine, json }: ApiAnswer): ApiFailure {
  const { message, problems } = (json ?? {}) as { message?: unknown; problems?: unknown };
  return new ApiFailure(
    status,
    safeText(statusLine),
    typeof message === "string" ? safeMessage(message) : "",
    Array.isArray(problems) ? problems.filter(isProblem) : [],
  );
}

function isProblem(value: unknown): value is Problem {
  const { pointer, message } = (value ?? {}) as { pointer?: unknown; message?: unknown };
  return typeof pointer === "string" && typeof message === "string";
}

function codeOf({ json }: ApiAnswer): unknown {
  return (json as { code?: unknown } | null | undefined)?.code;
}

/**
 * The trace that the environment names (`TRACEPARENT`, `TRACESTATE`), as pipelines set it. svcctl makes no spans of its
 * own: what the server does belongs to the caller's span.
 */
function traceHeaders({ env }: CommandContext): Record<string, string> {
  const [traceparent = "", tracestate = ""] = [env["TRACEPARENT"], env["TRACESTATE"]];
  if (!TRACE_PARENT.test(traceparent)) return {};
  return { traceparent, ...(TRACE_STATE.test(tracestate) && { tracestate }) };
}

/** Version 00 of W3C Trace Context. */
const TRACE_PARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACE_STATE = /^[\x20-\x7e]{1,512}$/;

function headersOf(context: CommandContext, settings: Settings): Record<string, string> {
  const { version } = context;
  const authorization = authorizationOf(settings);
  return {
    ...traceHeaders(context),
    "user-agent": `svcctl/${version}/${process.platform}/${release()}/${process.arch}`,
    ...(authorization !== undefined && { authorization }),
  };
}
