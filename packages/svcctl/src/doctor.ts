/** `svcctl doctor`: does the configuration work, and if not, why (spec/management-cli §5, spec/management-cli §8). */

import { EXIT } from "@svc-authorizer/commands/exit-codes.ts";
import type { ApiFailure } from "@svc-authorizer/commands/rest-client/api-failure.ts";
import type { ApiAnswer } from "@svc-authorizer/commands/rest-client/attempt.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { type ApiClient, apiFailure, openApi } from "./api/api-client.ts";
import { authorizationOf } from "./api/authorization.ts";
import { isObject } from "./api/pages.ts";
import type { CommandCall } from "./command.ts";
import { textField } from "./output/fields.ts";
import { jsonText } from "./output/json-text.ts";
import { NO_RIGHTS, type Rights, rightsOf } from "./rights.ts";
import { providerFault } from "./settings/credentials-provider.ts";
import { loadSettings, type Settings } from "./settings/load-settings.ts";
import { suspicions } from "./settings/suspicions.ts";

/** A problem that doctor found. */
interface Finding {
  readonly valid: boolean;
  /** The meaning, for people. */
  readonly summary: string;
  /** The message of the server or the network. */
  readonly detail: string;
  /** The exit code where it is not that of the data server's tool, which is 0. */
  readonly code?: typeof EXIT.failed;
  /** Difference of the clocks of server and machine; undefined where it does not matter. */
  readonly clock?: string;
  /** Rights of the user on any resource; undefined where the server does not answer such questions. */
  readonly rights?: Rights;
}

/** Difference of clocks that signed URLs and tokens do not forgive, in seconds. */
const LARGEST_SKEW = 60;

/**
 * Exits with 1 where nobody can work with the configuration as it is (no credentials), with `--exit-code` after any
 * finding. Else it succeeds, as the data server's tool does, unless the file of `--config` cannot be read.
 */
export async function diagnose({ context, options }: CommandCall): Promise<void> {
  const json = options["json"] === true;
  const verbose = context.options.verbose === true && !json;
  const settings = loadSettings(context);
  if (verbose) context.out(`Trying to get the current user from ${safeText(settings.endpointUrl)}\n`);
  const finding = await examine(() => openApi(context), settings);
  const fails = !finding.valid && (finding.code === EXIT.failed || options["exitCode"] === true);
  context.finish(fails ? EXIT.failed : EXIT.ok);
  const { clock, rights, code: _, ...told } = finding;
  const suspected = [
    ...(finding.valid ? [] : suspicions(settings)),
    ...(clock === undefined ? [] : [clock]),
    ...(rights !== undefined && Object.values(rights).every((may) => !may) ? [NO_RIGHTS] : []),
  ];
  if (json)
    return context.out(
      jsonText({
        ...told,
        ...(clock !== undefined && { clock }),
        ...(rights !== undefined && { rights }),
        file: settings.file,
        suspicions: suspected,
      }),
    );
  const { green, red } = context.style;
  context.out(finding.valid ? `${green(finding.summary)}\n` : `${red(finding.summary)}\n${finding.detail}\n`);
  for (const text of suspected) context.out(`${text}\n`);
  if (verbose && rights !== undefined) {
    for (const [action, may] of Object.entries(rights))
      context.out(`${may ? green("may") : red("may not")} ${action}\n`);
  }
  if (verbose && !finding.valid && suspected.length === 0) {
    context.out("Couldn't find a problem with the form of the keys and of the endpoint URL\n");
  }
}

const WRONG_KEY = "It seems like the `access_key_id` or `secret_access_key` you supplied are wrong.";
const WRONG_ENDPOINT = "It looks like endpoint url is wrong.";

async function examine(open: () => ApiClient, settings: Settings): Promise<Finding> {
  const fault = providerFault(settings);
  if (fault !== undefined) return { valid: false, summary: fault, detail: "", code: EXIT.failed };
  try {
    const api = open();
    const answer = await askWhoIAm(api);
    const clock = clockFault(answer);
    const found = diagnosis(answer, settings);
    const rights = found.valid ? await rightsOf(api, answer) : undefined;
    return { ...found, ...(clock !== undefined && { clock }), ...(rights !== undefined && { rights }) };
  } catch (error) {
    // Only an answer ends without an error, so this is about the way to the server.
    return { valid: false, summary: WRONG_ENDPOINT, detail: (error as Error).message };
  }
}

function clockFault({ headers }: ApiAnswer): string | undefined {
  const theirs = Date.parse(headers.get("date") ?? "");
  const seconds = Math.round((Date.now() - theirs) / 1000);
  if (Number.isNaN(seconds) || Math.abs(seconds) <= LARGEST_SKEW) return undefined;
  const direction = seconds > 0 ? "ahead of" : "behind";
  return `The clock of this machine is ${Math.abs(seconds)} seconds ${direction} that of the server`;
}

/** Older data servers know no current user, but everybody may list what repositories they see. */
async function askWhoIAm(api: ApiClient): Promise<ApiAnswer> {
  const answer = await api.ask({ method: "GET", path: ["user"] });
  if (![404, 405, 501].includes(answer.status)) return answer;
  return api.ask({ method: "GET", path: ["repositories"] });
}

function diagnosis(answer: ApiAnswer, settings: Settings): Finding {
  const noKey = authorizationOf(settings) === undefined;
  if (noKey && (answer.status === 401 || (answer.status === 200 && isObject(answer.json)))) {
    const reached = answer.status === 200 ? "The server answers, but knows nobody without a key: " : "";
    const detail = `${reached}svcctl config asks for one and keeps it in ${settings.file}, svcctl login signs in through a browser`;
    return { valid: false, summary: "No access key is configured", detail, code: EXIT.failed };
  }
  if (answer.status === 401) {
    return { valid: false, summary: WRONG_KEY, detail: messageOf(answer) };
  }
  if (answer.status >= 400) {
    const summary = `It looks like you have a problem with your \`${settings.file}\` file.`;
    return { valid: false, summary, detail: messageOf(answer) };
  }
  if (answer.status !== 200 || !isObject(answer.json)) {
    return { valid: false, summary: WRONG_ENDPOINT, detail: "" };
  }
  const { user } = answer.json as { user?: unknown };
  if (isObject(user) && textField(user, "id") === "") {
    const detail = "the server answers, and says that nobody is signed in: it does not know the access key";
    return { valid: false, summary: WRONG_KEY, detail, code: EXIT.failed };
  }
  return { valid: true, summary: "Valid configuration", detail: "" };
}

function messageOf(answer: ApiAnswer): string {
  const failure: ApiFailure = apiFailure(answer);
  return failure.message === "" ? failure.statusLine : failure.message;
}
