import { z } from "zod";
import { isPrivateChannel } from "../../shared/live/channel-names.ts";
import { channelDataSchemas, channelMessageSchema, controlSchemas } from "./server-schemas.ts";
import { clientMessageSchemas } from "./sockets/messages.ts";

type Json = Readonly<Record<string, unknown>>;

/** AsyncAPI 3.0, from the schemas that check messages. */
export function asyncApiDocument(): Json {
  const messages = { ...messagesOf(clientMessageSchemas, "input"), ...messagesOf(controlSchemas, "output") };
  const data = Object.entries(channelDataSchemas);
  const channelMessages = Object.fromEntries(
    data.map(([name, schema]) => [messageName(name), messageOf(name, channelMessageSchema(schema), "output")]),
  );
  return {
    asyncapi: "3.0.0",
    info: { title: "Sluice venue: live channels", version: "1", description: DESCRIPTION },
    channels: {
      socket: {
        address: "/api/v1/ws",
        description: "A WebSocket. One JSON object per message.",
        messages: references(Object.keys(messages)),
      },
      ...Object.fromEntries(data.map(([name]) => [messageName(name), logicalChannel(name)])),
    },
    operations: {
      send: { action: "send", channel: { $ref: "#/channels/socket" }, messages: inSocket(clientMessageSchemas) },
      receive: { action: "receive", channel: { $ref: "#/channels/socket" }, messages: inSocket(controlSchemas) },
      ...Object.fromEntries(
        data.map(([name]) => [
          `receive_${messageName(name)}`,
          { action: "receive", channel: { $ref: `#/channels/${messageName(name)}` } },
        ]),
      ),
    },
    components: { messages: { ...messages, ...channelMessages } },
  };
}

const DESCRIPTION =
  "Public channels need no sign-in; private ones need `authenticate`, or `Authorization` or a signature in the handshake. " +
  "Every message of a channel carries `epoch`, `seq` and `prev`: `seq` is the entry of the venue's journal, `prev` the `seq` " +
  "of the message before. After a disconnect, subscribe with `from: {channel: {epoch, seq}}` of your last message: you get " +
  "everything since, exactly once, or a `reset` with the whole state when that is no longer held. A reader that is too slow gets the " +
  "newest state of public channels; on private channels it is closed with 4413 and the `seq` to resume from. " +
  "The public channels are also an event stream: `GET /api/v1/stream?channels=book:btcidr,trades:btcidr`, resumed by `Last-Event-ID`.";

const messageName = (name: string) => name.replaceAll(/[{}]/g, "").replaceAll(":", "_");

function logicalChannel(name: string): Json {
  const parameters = [...name.matchAll(/\{(\w+)\}/g)].map(([, parameter = ""]) => [parameter, {}]);
  const title = isPrivateChannel(name) ? "Private: the signed-in user's own." : "Public.";
  return {
    address: name,
    description: `${title} The \`channel\` of \`subscribe\`.`,
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
    messages: references([messageName(name)]),
  };
}

function messagesOf(schemas: Readonly<Record<string, z.ZodType>>, io: "input" | "output"): Json {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, messageOf(name, schema, io)]));
}

function messageOf(name: string, schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _dialect, ...payload } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return { name, contentType: "application/json", payload };
}

const references = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

const inSocket = (schemas: object) =>
  Object.keys(schemas).map((name) => ({ $ref: `#/channels/socket/messages/${name}` }));
