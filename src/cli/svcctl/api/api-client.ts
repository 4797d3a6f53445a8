/** Calls of the management API (management-cli.md §1, management-cli.md §3). */

import { release } from "node:os";
import { UsageFailure } from "../../failure.ts";
import { ApiFailure } from "../../rest-client/api-failure.ts";
import type { ApiAnswer, ApiRequest } from "../../rest-client/attempt.ts";
import { type FailedTry, sendWithRetries } from "../../rest-client/retries.ts";
import { safeMessage, safeText } from "../../safe-text.ts";
import type { CommandContext } from "../command-context.ts";
import { requestLog } from "../request-log.ts";
import { loadSettings, type Settings } from "../settings/load-settings.ts";
import { adviceOnRefusal, adviceOnSilence, adviceOnStranger } from "./advice.ts";
import { apiBase } from "./endpoint.ts";

/** One call. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Segments of the path, as they are meant; they are encoded here. */
  readonly path: readonly string[];
  /** Empty and absent values are not sent. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** The status that means success. */
  readonly expect: number;
}

/** An answer's JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Calls the server that the configuration names, as the user it names. */
export class ApiClient {
  readonly settings: Settings;
  readonly #base: string;
  readonly #context: CommandContext;

  constructor(context: CommandContext, settings: Settings) {
    this.settings = settings;
    this.#context = context;
    this.#base = apiBase(settings.endpointUrl);
  }

  /**
   * The JSON object that answers a call.
   * @throws ApiFailure for a status of 400 or more, Error for anything else that is not the success expected
   */
  async fetchObject(call: Call): Promise<JsonObject> {
    const { json } = await this.#settle(call);
    if (typeof json !== "object" || json === null || Array.isArray(json)) {
      this.#context.advise(adviceOnStranger(this.settings));
      throw new Error("Bad response from server");
    }
    return json as JsonObject;
  }

  /** Makes a call whose answer says nothing beyond its status. Throws as {@link fetchObject}. */
  async perform(call: Call): Promise<void> {
    await this.#settle(call);
  }

  /** The answer to a call, whatever its status. Throws only when there is none. */
  async ask(call: Omit<Call, "expect">): Promise<ApiAnswer> {
    const log = requestLog(this.#context);
    const request = this.#request(call);
    const { method, url } = request;
    const answer = await sendWithRetries(request, this.settings.retries, (failed) => {
      log("warn", "trying again", { method, url, reason: failed.reason });
      this.#showProgress(method, failed);
    }).catch((error: unknown) => {
      this.#context.advise(adviceOnSilence(error, this.settings));
      throw error;
    });
    log("debug", "answered", { method, url, status: answer.status });
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

  #request({ method, path, query = {}, body }: Omit<Call, "expect">): ApiRequest {
    const { accessKeyId, secretAccessKey } = this.settings;
    const sent = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    const parameters = new URLSearchParams(
      sent.map(([name, value]): [string, string] => [name, String(value)]),
    );
    const url = `${this.#base}/${path.map(encodeSegment).join("/")}${sent.length > 0 ? `?${parameters}` : ""}`;
    const basic = Buffer.from(`${accessKeyId}:${secretAccessKey}`).toString("base64");
    return {
      method,
      url,
      headers: {
        accept: "application/json",
        "user-agent": `svcctl/${this.#context.version}/${process.platform}/${release()}/${process.arch}`,
        ...(accessKeyId + secretAccessKey !== "" && { authorization: `Basic ${basic}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
  }

  #showProgress(method: string, { reason, waitMs, attempt, attempts }: FailedTry): void {
    if (this.#context.edge.stderr.isTTY !== true) return;
    const seconds = (waitMs / 1000).toFixed(1);
    this.#context.err(
      `${method}: ${safeText(reason)}; trying again in ${seconds} s (${attempt + 1} of ${attempts})\n`,
    );
  }
}

/** The client for a command. Throws when the configuration is faulty. */
export function openApi(context: CommandContext): ApiClient {
  return new ApiClient(context, loadSettings(context));
}

/** What an answer of 400 or more says. */
export function apiFailure({ status, statusLine, json }: ApiAnswer): ApiFailure {
  const { message } = (json ?? {}) as { message?: unknown };
  return new ApiFailure(
    status,
    safeText(statusLine),
    typeof message === "string" ? safeMessage(message) : "",
  );
}

/** One segment of a path. The URL parser would take dots, even encoded ones, for steps through the path. */
function encodeSegment(segment: string): string {
  if (segment === "" || segment === "." || segment === "..") {
    throw new UsageFailure(`invalid name ${JSON.stringify(segment)}: nothing has such a name`);
  }
  return encodeURIComponent(segment);
}
