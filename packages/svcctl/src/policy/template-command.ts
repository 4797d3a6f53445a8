/** `svcctl policy template`: lists the policy templates, or fills one in, without a server. */

import { textOption } from "@svc-authorizer/commands/command-spec.ts";
import { templateSummaries } from "@svc-authorizer/policy/catalog/template-summaries.ts";
import type { CommandCall } from "../command.ts";
import { jsonText } from "../output/json-text.ts";
import { renderTemplate } from "./render-template.ts";
import { templateLines } from "./template-lines.ts";
import { paramsOf } from "./template-options.ts";

export async function template({ context, options, args }: CommandCall): Promise<void> {
  const [name] = args;
  if (name === undefined) {
    const templates = templateSummaries();
    if (options["json"] !== true) return context.out(`${templateLines(templates).join("\n")}\n`);
    const shown = templates.map(({ id, description, parameters }) => ({ id, description, parameters }));
    return context.out(jsonText({ templates: shown }));
  }
  const partition = textOption(options, "partition") ?? "svc";
  context.out(jsonText(await renderTemplate({ template: name, params: paramsOf(options), partition })));
}
