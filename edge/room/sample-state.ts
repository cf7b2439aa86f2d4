import type { RoomState, RoomStateName } from "./room-state.ts";

/** A state as it could be, for an operator who wants to see what visitors will see. */
export function sampleState(name: RoomStateName, nowMs: number): RoomState {
  switch (name) {
    case "waiting":
    case "paused":
      return { name, place: SAMPLE_PLACE };
    case "prequeue":
      return { name, opensAtMs: nowMs + SAMPLE_START_MS, total: SAMPLE_PLACE.total, isDrawn: false };
    case "ended":
      return { name, reason: "expired" };
    case "rateLimited":
      return { name, by: "visitor" };
    default:
      return { name };
  }
}

const SAMPLE_PLACE = { position: 1_204, total: 5_310, first: 2_950, estimate: { low: 130, high: 250 } };
const SAMPLE_START_MS = 2 * 3_600_000;
