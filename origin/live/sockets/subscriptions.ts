import { isPrivateChannel } from "../../../shared/live/channel-names.ts";
import type { LivePosition } from "../../../shared/live/messages.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import type { Hub } from "../fan-out/hub.ts";
import type { Member } from "../fan-out/member.ts";
import { SUBSCRIPTIONS_MAX } from "./messages.ts";

/** The channels of one reader. A request with a fault changes nothing. */
export type Subscriptions = {
  /** The function begins them: after the acknowledgement. */
  readonly subscribe: (request: SubscribeRequest) => Promise<Result<() => void, SubscribeRefusal>>;
  readonly unsubscribe: (request: { readonly channels: readonly string[] }) => Result<() => void, SubscribeRefusal>;
  readonly list: () => readonly string[];
  readonly count: () => number;
};

type SubscribeRequest = {
  readonly channels: readonly string[];
  readonly from?: Readonly<Record<string, LivePosition>> | undefined;
};

export type SubscribeRefusal = {
  readonly code:
    | "channel_unknown"
    | "not_signed_in"
    | "resume_invalid"
    | "subscription_limit_reached"
    | "store_unavailable";
  readonly detail: string;
};

type Parts = { readonly hub: Hub; readonly member: Member; readonly user: () => string | undefined };

/** How long a subscription waits for a process that has just started. */
const READY_MS_MAX = 10_000;

export function createSubscriptions({ hub, member, user }: Parts): Subscriptions {
  const names = new Set<string>();

  function refusalOf({ channels, from = {} }: SubscribeRequest): SubscribeRefusal | undefined {
    const unknown = channels.find((channel) => !hub.isKnown(channel));
    if (unknown !== undefined) return { code: "channel_unknown", detail: `No channel has the name ${unknown}.` };
    const hidden = user() === undefined ? channels.find(isPrivateChannel) : undefined;
    if (hidden !== undefined)
      return { code: "not_signed_in", detail: `Authenticate before you subscribe to ${hidden}.` };
    const stray = Object.keys(from).find((channel) => !channels.includes(channel));
    if (stray !== undefined)
      return { code: "resume_invalid", detail: `from names ${stray}, which is not in channels.` };
    if (new Set([...names, ...channels]).size > SUBSCRIPTIONS_MAX)
      return { code: "subscription_limit_reached", detail: `A socket can have ${SUBSCRIPTIONS_MAX} subscriptions.` };
    return undefined;
  }

  return {
    async subscribe(request) {
      if (!(await hub.untilReady(READY_MS_MAX)))
        return fail({ code: "store_unavailable", detail: "The channels cannot be read yet: retry later." });
      const refusal = refusalOf(request);
      if (refusal !== undefined) return fail(refusal);
      return ok(() => {
        for (const channel of new Set(request.channels)) {
          names.add(channel);
          hub.subscribe(member, { channel, user: user(), from: request.from?.[channel] });
        }
      });
    },
    unsubscribe: ({ channels }) =>
      ok(() => {
        for (const channel of channels) if (names.delete(channel)) hub.unsubscribe(member, channel);
      }),
    list: () => [...names].sort(),
    count: () => names.size,
  };
}
