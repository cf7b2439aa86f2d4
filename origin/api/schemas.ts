import { z } from "zod";
import { problemSchema } from "../../shared/http/openapi.ts";

/** A name makes a schema a component of `openapi.json`. */
export const bodySchemas = z.registry<{ id: string }>();
export const answerSchemas = z.registry<{ id: string }>();

problemSchema.register(answerSchemas, { id: "Problem" });
