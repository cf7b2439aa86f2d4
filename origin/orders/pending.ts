import { z } from "zod";
import { answerSchemas } from "../api/schemas.ts";

const pendingSchema = z
  .strictObject({ commandId: z.string().describe("Ask for the outcome at `/commands/{commandId}`."), state: z.literal("pending") })
  .register(answerSchemas, { id: "Pending" });

/** The answer to every command whose outcome is not known within two seconds. */
export const PENDING = {
  description: "Written, and not committed within two seconds: it may still happen.",
  schema: pendingSchema,
  headers: { location: "Where to ask for the outcome." },
};
