/** `svcctl login` and `svcctl logout`: signing in through a browser instead of with an access key (spec/sign-in §1). */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { safeText } from "@svc-authorizer/commands/safe-text.ts";
import { readSettingsFile } from "@svc-authorizer/commands/settings/settings-file.ts";
import { writeSettingsFile } from "@svc-authorizer/commands/settings/write-settings-file.ts";
import { ApiClient } from "../api/api-client.ts";
import { currentUser } from "../api/current-user.ts";
import { apiBase } from "../api/endpoint.ts";
import type { CommandCall } from "../command.ts";
import { formatDate } from "../output/dates.ts";
import { printObject } from "../output/print.ts";
import { forgetLogin, keepLogin, keptLogin, loginFile } from "../settings/kept-login.ts";
import { loadSettings, type Settings } from "../settings/load-settings.ts";
import { interruptible } from "../transfer/interrupt.ts";
import { deviceGrant } from "./device-grant.ts";

/** Shows a code, waits until it is confirmed in a browser, and keeps the login token. */
export async function login(call: CommandCall): Promise<void> {
  const { context } = call;
  const settings = settingsFor(call);
  const { accessKeyId, secretAccessKey, file, endpointUrl } = settings;
  if (accessKeyId + secretAccessKey !== "") {
    throw new Error(
      `an access key is configured, which goes before a sign-in: take it out of ${file} or the environment, or name another file with --config`,
    );
  }
  const base = apiBase(endpointUrl);
  const { origin } = new URL(base);
  const granted = await interruptible(context, (signal) =>
    deviceGrant(
      origin,
      ({ code, address, seconds }) =>
        context.err(
          `Open ${safeText(address)} in a browser, sign in there, and type this code within ${Math.floor(seconds / 60)} minutes:\n\n    ${safeText(code)}\n\n`,
        ),
      { signal, userAgent: `svcctl/${context.version}` },
    ),
  );
  const expiresAt = Math.floor(Date.now() / 1_000) + granted.seconds;
  keepLogin(file, { base, token: granted.token, expiresAt });
  const user = await currentUser(new ApiClient(context, settings));
  const done = { user, endpoint_url: endpointUrl, expires_at: expiresAt, file: loginFile(file) };
  await printObject(call, done, () => `Signed in as ${safeText(user)} until ${formatDate(expiresAt)}\n`);
}

/** The settings, with the server of `--endpoint-url`, which the file then holds. */
function settingsFor({ context, options }: CommandCall): Settings {
  const endpointUrl = textOption(options, "endpointUrl");
  const settings = loadSettings(context);
  if (endpointUrl === undefined || endpointUrl === settings.endpointUrl) return settings;
  apiBase(endpointUrl);
  const file = readSettingsFile(settings.file);
  if (file.fault !== undefined && !file.missing)
    throw new Error(`${settings.file} cannot be updated: ${file.fault}`);
  writeSettingsFile(settings.file, file.values, { ...settings, endpointUrl });
  return { ...settings, endpointUrl };
}

/** Ends the login token for good, at the server and here. */
export async function logout(call: CommandCall): Promise<void> {
  const { context } = call;
  const settings = loadSettings(context);
  const kept = keptLogin(settings.file, apiBase(settings.endpointUrl));
  if (kept === undefined) throw new Error(`nobody is signed in at ${safeText(settings.endpointUrl)}`);
  const api = new ApiClient(context, { ...settings, accessKeyId: "", secretAccessKey: "" });
  const { status, statusLine } = await api.ask({ method: "POST", path: ["auth", "logout"] });
  // A token that does not hold any more needs no end.
  if (status !== 204 && status !== 401)
    throw new Error(`the server did not end the sign-in: ${safeText(statusLine)}; try again`);
  forgetLogin(settings.file);
  await printObject(call, { message: "Signed out" }, () => "Signed out\n");
}
