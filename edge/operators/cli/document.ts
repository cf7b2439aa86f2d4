import { parseDocument, stringify } from "yaml";
import { z } from "zod";
import { type FieldFault, fieldFaults } from "../../../shared/http/field-faults.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { queueIdField } from "../admin/schemas.ts";

/**
 * Queues and routes as a file. Everything that it does not name stays unchanged: settings of an existing queue, queues
 * (unless `--prune`), routes, bypass rules. Everything that it names is checked by the schemas of the operator API,
 * queue by queue, in `plan.ts`.
 */
export type ConfigurationDocument = z.output<typeof documentSchema>;

const documentSchema = z.strictObject({
  queues: z.record(queueIdField, z.record(z.string(), z.unknown())).default({}),
  routes: z.array(z.unknown()).optional(),
  bypass: z.array(z.unknown()).optional(),
});

/** JSON is YAML too. */
export function parseConfiguration(text: string): Result<ConfigurationDocument, readonly FieldFault[]> {
  const parsed = parseDocument(text, { uniqueKeys: true, prettyErrors: true });
  if (parsed.errors.length > 0)
    return fail(parsed.errors.map(({ message }) => ({ field: "document", message: firstLine(message) })));
  const checked = documentSchema.safeParse(parsed.toJS({ maxAliasCount: 100 }) ?? {});
  return checked.success ? ok(checked.data) : fail(fieldFaults(checked.error));
}

const HEADER = "Queues and routes of Sluice. Apply with: npm run sluice -- queues apply FILE --dry-run";

export function writeConfiguration(document: ConfigurationDocument, format: "yaml" | "json"): string {
  if (format === "json") return `${JSON.stringify(document, null, 2)}\n`;
  return `# ${HEADER}\n${stringify(document, { lineWidth: 0 })}`;
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? message;
}
