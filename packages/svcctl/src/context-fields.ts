/** `--context field=value`: condition fields of a request. */

import { UsageFailure } from "@svc-authorizer/commands/failure.ts";

/**
 * Fields of `--context name=value`; a name given twice has both values.
 * @throws UsageFailure for anything else
 */
export function contextFields(
  given: unknown,
): Readonly<Record<string, string | readonly string[]>> | undefined {
  if (!Array.isArray(given)) return undefined;
  const fields = new Map<string, string[]>();
  for (const text of given as readonly string[]) {
    const equals = text.indexOf("=");
    if (equals <= 0) {
      throw new UsageFailure(
        `invalid argument ${JSON.stringify(text)} for "--context" flag: expected field=value`,
      );
    }
    const name = text.slice(0, equals);
    fields.set(name, [...(fields.get(name) ?? []), text.slice(equals + 1)]);
  }
  // Object.fromEntries defines own fields, whatever their names.
  return Object.fromEntries(
    [...fields].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}
