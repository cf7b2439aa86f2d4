import type { QueueSettings } from "../line/settings.ts";
import type { RoomState, RoomStateName } from "./room-state.ts";

type Event = Pick<QueueSettings, "opensAt" | "order">;

/**
 * A state as it could be, for an operator who wants to see what visitors will see. An event that is planned is the
 * queue's own.
 */
export function sampleState(name: RoomStateName, nowMs: number, { opensAt, order }: Event = NO_EVENT): RoomState {
  switch (name) {
    case "waiting":
    case "paused":
      return { name, place: SAMPLE_PLACE };
    case "prequeue":
      return {
        name,
        opensAtMs: opensAt !== null && opensAt > nowMs ? opensAt : nowMs + SAMPLE_START_MS,
        total: SAMPLE_PLACE.total,
        isDrawn: order !== "fifo",
      };
    case "ended":
      return { name, reason: "expired" };
    case "rateLimited":
      return { name, by: "visitor" };
    default:
      return { name };
  }
}

const NO_EVENT: Event = { opensAt: null, order: "fifo" };
const SAMPLE_PLACE = { position: 1_204, total: 5_310, first: 2_950, estimate: { low: 130, high: 250 } };
const SAMPLE_START_MS = 2 * 3_600_000;
