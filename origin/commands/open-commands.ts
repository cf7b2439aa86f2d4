import type { Commands } from "./commands.ts";

/** The skeleton that the API is built against while the commit is being written. */
export function openCommands(): Commands & { readonly stop: () => Promise<void> } {
  return {
    submit: async () => ({ kind: "refused", code: "engine_unavailable" }),
    outcomeOf: async () => ({ kind: "forgotten" }),
    untilProjected: async () => false,
    stop: async () => {},
  };
}
