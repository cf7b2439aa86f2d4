import { z } from "zod";
import { problemSchema } from "../../../shared/http/openapi.ts";
import { queueIdSchema } from "../../../shared/queue-id.ts";
import { queueSettingsSchema } from "../../line/settings.ts";

/** Schemas that several operations share. A name makes a schema a component of `openapi.json`. */
export const bodySchemas = z.registry<{ id: string }>();
export const answerSchemas = z.registry<{ id: string }>();

const TOKEN_ID_PATTERN = /^[A-Za-z0-9_-]{22}$/;

/** The document cannot show a check that is code, so the rule is described. */
export const queueIdField = queueIdSchema.meta({ type: "string", pattern: "^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$" });
export const sessionIdField = z.string().regex(TOKEN_ID_PATTERN, "must be the 22 characters of a session's id");
export const inviteIdField = z.string().regex(TOKEN_ID_PATTERN, "must be the 22 characters of an invite's id");
export const jtiField = z.string().regex(TOKEN_ID_PATTERN, "must be the 22 characters of a pass's jti");

/** The operator's reason. It is kept in the store and in the log. */
export const reasonField = z.string().trim().min(1).max(200);

export const queueParams = z.strictObject({ queueId: queueIdField });

export const newQueueSchema = queueSettingsSchema
  .safeExtend({ queueId: queueIdField })
  .register(bodySchemas, { id: "NewQueue" });

/**
 * Every setting, none required and none defaulted: a change leaves other settings unchanged. (A default inside an
 * optional field would still be filled in.)
 */
export const queueChangeSchema = z
  .strictObject(withoutDefaults(queueSettingsSchema.shape))
  .partial()
  .refine((change) => Object.keys(change).length > 0, "must name at least one setting")
  .register(bodySchemas, { id: "QueueChange" });

const count = z.int().min(0);

export const queueSchema = queueSettingsSchema
  .safeExtend({
    queueId: queueIdField,
    version: z.int().min(1).describe("Grows with each change of the settings; also in the ETag."),
    waiting: count.describe("People in the line."),
    active: count.describe("Taken slots: visitors inside, and those whose turn it is."),
    admissionsPerSecond: z.number().min(0).describe("Measured; 0 while nothing is known."),
  })
  .register(answerSchemas, { id: "Queue" });

problemSchema.register(answerSchemas, { id: "Problem" });

type WithoutDefaults<Shape> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner> ? Inner : Shape[Name];
};

function withoutDefaults<Shape extends z.ZodRawShape>(shape: Shape): WithoutDefaults<Shape> {
  const fields = Object.entries(shape).map(([name, field]) => [
    name,
    field instanceof z.ZodDefault ? field.unwrap() : field,
  ]);
  return Object.fromEntries(fields) as WithoutDefaults<Shape>;
}
