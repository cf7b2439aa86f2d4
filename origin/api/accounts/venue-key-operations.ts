import { z } from "zod";
import { VENUES, type VenueKey, type VenueKeys } from "../../accounts/api-keys/venue-keys.ts";
import { userOperation, type VenueOperation } from "../operation.ts";
import { answerSchemas, bodySchemas } from "../schemas.ts";
import { keyIdField, labelField } from "./api-key-operations.ts";

const secretText = z
  .string()
  .min(8)
  .max(256)
  .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");

const newVenueKeySchema = z
  .strictObject({ venue: z.enum(VENUES), label: labelField, key: secretText, secret: secretText })
  .register(bodySchemas, { id: "NewVenueKey" });

const venueKeySchema = z
  .strictObject({ id: z.string(), venue: z.enum(VENUES), label: z.string(), createdAt: z.int() })
  .register(answerSchemas, { id: "VenueKey" });

const venueKeyListSchema = z
  .strictObject({ keys: z.array(venueKeySchema) })
  .register(answerSchemas, { id: "VenueKeyList" });

export function venueKeyOperations(venueKeys: VenueKeys): readonly VenueOperation[] {
  return [
    userOperation({
      method: "get",
      path: "/venue-keys",
      id: "listVenueKeys",
      summary: "My keys at other venues",
      limit: "read",
      answers: { 200: { description: "Neither keys nor secrets are shown.", schema: venueKeyListSchema } },
      refusals: ["database_unavailable"],
      async run({ answer, identity }) {
        const keys = await venueKeys.list(identity.user.id);
        return answer(200, { keys: keys.map(publicKey) });
      },
    }),
    userOperation({
      method: "post",
      path: "/venue-keys",
      id: "addVenueKey",
      summary: "Store my key of another venue, sealed; one for each venue",
      limit: "change",
      body: { schema: newVenueKeySchema },
      answers: { 201: { description: "Kept.", schema: venueKeySchema } },
      refusals: ["venue_key_exists", "database_unavailable"],
      async run({ answer, refuse, identity }, { body }) {
        const added = await venueKeys.add(identity.user.id, body);
        return added.ok ? answer(201, publicKey(added.value)) : refuse(added.reason);
      },
    }),
    userOperation({
      method: "delete",
      path: "/venue-keys/{keyId}",
      id: "removeVenueKey",
      summary: "Delete my key of another venue",
      limit: "change",
      params: z.strictObject({ keyId: keyIdField }),
      answers: { 204: { description: "Forgotten." } },
      refusals: ["key_not_found", "database_unavailable"],
      async run({ answer, refuse, identity }, { params: { keyId } }) {
        return (await venueKeys.remove(identity.user.id, keyId)) ? answer(204) : refuse("key_not_found");
      },
    }),
  ];
}

function publicKey({ id, venue, label, createdAt }: VenueKey): z.input<typeof venueKeySchema> {
  return { id, venue, label, createdAt };
}
