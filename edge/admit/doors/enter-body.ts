import { z } from "zod";
import { type FieldFault, fieldFaults } from "../../../shared/http/field-faults.ts";
import { parsePlainJson } from "../../../shared/http/plain-json.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { METADATA_BYTES_MAX, TOKEN_CHARS_MAX } from "../../../shared/tokens/admission.ts";
import { readBytes } from "../../request/read-bytes.ts";

/** The optional body of a join. */
export type EnterBody = z.output<typeof enterBodySchema>;

type BodyFault =
  | { readonly code: "body_too_large" | "json_malformed" }
  | { readonly code: "validation_failed"; readonly errors: readonly FieldFault[] };

const BODY_BYTES_MAX = 4_096;
const METADATA_FIELDS_MAX = 20;

export const enterBodySchema = z.strictObject({
  metadata: z
    .record(z.string().max(64), z.union([z.string().max(200), z.number(), z.boolean()]))
    .refine(
      (fields) => Object.keys(fields).length <= METADATA_FIELDS_MAX,
      `must have at most ${METADATA_FIELDS_MAX} fields`,
    )
    .refine((fields) => bytesOf(fields) <= METADATA_BYTES_MAX, `must have at most ${METADATA_BYTES_MAX} bytes as JSON`)
    .describe("Kept with the session and shown to operators; at most 512 bytes as JSON.")
    .optional(),
  invite: z
    .string()
    .max(TOKEN_CHARS_MAX)
    .describe("A place in its lane; a visitor who waits in a lower one moves there.")
    .optional(),
  proof: z
    .strictObject({
      challenge: z
        .string()
        .max(TOKEN_CHARS_MAX)
        .describe("`challenge.token` of the refusal that required proof of work."),
      nonce: z
        .string()
        .regex(/^\d{1,16}$/, "must be the digits of a number")
        .describe("The digits that make SHA-256 of `id:nonce` begin with `bits` zero bits."),
    })
    .describe("Where the queue requires proof of work; good for one join.")
    .optional(),
});

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** No body is as good as an empty one. */
export async function readEnterBody(request: Request): Promise<Result<EnterBody, BodyFault>> {
  if (request.body === null) return ok({});
  const bytes = await readBytes(request, BODY_BYTES_MAX);
  if (bytes === undefined) return fail({ code: "body_too_large" });
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return ok({});
  const json = parsePlainJson(text);
  if (!json.ok) return fail({ code: "json_malformed" });
  const parsed = enterBodySchema.safeParse(json.value);
  return parsed.success ? ok(parsed.data) : fail({ code: "validation_failed", errors: fieldFaults(parsed.error) });
}
