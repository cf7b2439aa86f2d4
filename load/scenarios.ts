import { crowdScenario } from "./crowd/crowd.ts";
import type { Scenario } from "./scenario.ts";
import { tradeScenario } from "./trade/trade.ts";

/** `npm run load -- NAME`. */
export const SCENARIOS: readonly Scenario[] = [crowdScenario, tradeScenario];
