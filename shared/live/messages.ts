/**
 * Messages of the live hub (`GET /api/v1/ws`), as both ends read them. Types only: the origin checks what arrives with
 * schemas of the same shape (`origin/live/messages.ts`), a browser needs none.
 */

/** A position in a channel: everything up to the journal entry `seq` of the journal's life `epoch`. */
export type LivePosition = { readonly epoch: string; readonly seq: number };

export type ClientMessage =
  | {
      readonly type: "subscribe";
      readonly id?: MessageId | undefined;
      readonly channels: readonly string[];
      /** Where to resume, by channel. A channel without a position begins with a snapshot. */
      readonly from?: Readonly<Record<string, LivePosition>> | undefined;
    }
  | { readonly type: "unsubscribe"; readonly id?: MessageId | undefined; readonly channels: readonly string[] }
  | { readonly type: "list"; readonly id?: MessageId | undefined }
  | { readonly type: "ping"; readonly id?: MessageId | undefined }
  | { readonly type: "authenticate"; readonly id?: MessageId | undefined; readonly accessToken: string }
  | {
      readonly type: "authenticate";
      readonly id?: MessageId | undefined;
      readonly apiKey: string;
      readonly timestamp: number;
      readonly signature: string;
      readonly window?: number | undefined;
      readonly nonce?: string | undefined;
    };

export type MessageId = string | number;

/**
 * A message of a channel. `prev` is the `seq` of the message before it on this subscription (its own `from` or snapshot
 * at first): another value means that something is missing. `snapshot` is the whole state; `reset` too, instead of the
 * updates that could not be replayed; `update` is the difference since `prev`.
 */
export type ChannelMessage = LivePosition & {
  readonly channel: string;
  readonly prev: number;
  readonly type: "snapshot" | "update" | "reset";
  readonly data: unknown;
};

export type ControlMessage =
  | {
      readonly type: "subscribed" | "unsubscribed" | "subscriptions";
      readonly id?: MessageId;
      readonly channels: readonly string[];
    }
  | {
      readonly type: "authenticated";
      readonly id?: MessageId;
      readonly userId: string;
      readonly sessionId?: string;
      readonly apiKeyId?: string;
      readonly expiresAt: number | null;
    }
  | { readonly type: "pong"; readonly id?: MessageId; readonly serverTime: number }
  | { readonly type: "heartbeat"; readonly epoch: string; readonly seq: number; readonly serverTime: number }
  | { readonly type: "reconnect"; readonly afterMs: number }
  | {
      readonly type: "error";
      readonly id?: MessageId;
      readonly code: string;
      readonly detail?: string;
      readonly errors?: readonly { readonly field: string; readonly message: string }[];
      /** After `slow_reader`: where to resume each private channel. */
      readonly resume?: Readonly<Record<string, LivePosition>>;
    };

export type ServerMessage = ChannelMessage | ControlMessage;

export function isChannelMessage(message: ServerMessage): message is ChannelMessage {
  return "channel" in message;
}

/** Price and quantity, as decimals. In an update, the quantity 0 removes the price. */
export type BookLevel = readonly [price: string, quantity: string];

export type BookData = {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
  /** The journal's time, in milliseconds. */
  readonly at: number;
  /** In a snapshot: a reader keeps so many of the best prices of each side, and drops the others. */
  readonly depth?: number;
};
