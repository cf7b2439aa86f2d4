/**
 * Names of the channels. Public: `book:<pair>`, `trades:<pair>`, `candles:<pair>:<tf>`, `summary[:<pair>]`,
 * `auction:<pair>`, `prices`, `system`. Private, of the signed-in user: `orders`, `balances`, `positions`, `trades`.
 */
export const PRIVATE_CHANNELS = ["orders", "balances", "positions", "trades"] as const;

export type PrivateChannel = (typeof PRIVATE_CHANNELS)[number];

export function isPrivateChannel(name: string): name is PrivateChannel {
  return (PRIVATE_CHANNELS as readonly string[]).includes(name);
}
