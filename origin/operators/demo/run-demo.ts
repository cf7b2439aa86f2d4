import { assert } from "../../../shared/assert.ts";
import type { FillRandom } from "../../../shared/ids.ts";
import { fail, ok, type Result } from "../../../shared/result.ts";
import { complain, readArgs } from "../../../stack/program/command-line.ts";
import { askControl } from "../ask-control.ts";
import { DEMO_DEPOSITS, type DemoAccount, readDemoAccounts } from "./demo-accounts.ts";
import { DEMO_PRICES, makeMarket } from "./market-maker.ts";
import { openVenueClient, type VenueClient, VenueRefusal } from "./venue-client.ts";

export const DEMO_USAGE = `npm run sluice -- demo [--url URL] [--seconds N]
  Makes 30 days of candles, marked as demo data, creates two accounts with balances and runs a market maker, in a venue on this machine, and prints how to trade against it.
  --url URL    the edge; by default SLUICE_URL or the stack on this machine
  --seconds N  stops after N seconds; by default it runs until Ctrl-C
  SLUICE_DATA_DIR names the venue, as for npm start.`;

type Surroundings = {
  readonly environment: NodeJS.ProcessEnv;
  readonly say: (line: string) => void;
  readonly fillRandom: FillRandom;
  readonly random: () => number;
  readonly signal: AbortSignal;
};

const DEFAULT_PORT = "8787";
const HISTORY_SEED = 1;
const SECONDS_MAX = 86_400;

/** Returns the exit code: 0 done, 1 refused, 2 invalid arguments. */
export async function runDemo(
  args: readonly string[],
  { environment, say, fillRandom, random, signal }: Surroundings,
): Promise<number> {
  const options = readOptions(args);
  if (!options.ok) return complain(options.reason);
  const { seconds } = options.value;
  const folder = environment["SLUICE_DATA_DIR"] ?? ".sluice";
  const url =
    options.value.url ?? environment["SLUICE_URL"] ?? `http://127.0.0.1:${environment["SLUICE_PORT"] ?? DEFAULT_PORT}`;
  const until = seconds === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  try {
    const accounts = await readDemoAccounts(folder, fillRandom);
    const clients: VenueClient[] = [];
    for (const account of accounts) {
      await openAccount(folder, account);
      clients.push(await fund(folder, url, account));
    }
    const maker = clients.at(-1);
    assert(maker !== undefined, "the market maker comes last");
    // Always the same candles: a second run replaces those of the first.
    await askControl(folder, "/demo-history", { seed: HISTORY_SEED, prices: DEMO_PRICES });
    for (const line of howToTrade(url, accounts)) say(line);
    await makeMarket({ client: maker, random, say, signal: until });
    say("The quotes are cancelled. The accounts and their balances remain.");
    return 0;
  } catch (error) {
    if (!(error instanceof VenueRefusal || error instanceof TypeError)) throw error;
    return complain(`The demo cannot continue: ${error.message}.`, 1);
  }
}

type DemoOptions = { readonly url: string | undefined; readonly seconds: number | undefined };

function readOptions(args: readonly string[]): Result<DemoOptions, string> {
  const read = readArgs({ args: [...args], options: { url: { type: "string" }, seconds: { type: "string" } } });
  if (!read.ok) return read;
  const { values } = read.value;
  const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
  const isFitting = seconds === undefined || (Number.isInteger(seconds) && seconds > 0 && seconds <= SECONDS_MAX);
  return isFitting
    ? ok({ url: values.url, seconds })
    : fail(`--seconds must be a whole number from 1 to ${SECONDS_MAX}.`);
}

/** An existing account may be ours from an earlier run; the sign-in tells. */
async function openAccount(folder: string, { username, password }: DemoAccount): Promise<void> {
  const answer = await askControl(folder, "/users", { username, email: `${username}@demo.invalid`, password });
  if (answer === undefined)
    throw new VenueRefusal(`no venue is running with the data folder ${folder}; start it with npm start`);
}

/** Signs in first: money goes only to an account whose password is ours. */
async function fund(folder: string, url: string, account: DemoAccount): Promise<VenueClient> {
  const client = await openVenueClient({ url, ...account });
  for (const [currency, amount] of Object.entries(DEMO_DEPOSITS[account.username])) {
    const answer = await askControl(folder, "/deposits", {
      userId: client.userId,
      currency,
      amount,
      reference: `demo:${currency}`,
    });
    if (answer === undefined) throw new VenueRefusal(`no venue is running with the data folder ${folder}`);
    if ("refused" in answer) throw new VenueRefusal(`a deposit was refused: ${answer.refused}`);
  }
  return client;
}

function howToTrade(url: string, accounts: readonly DemoAccount[]): readonly string[] {
  const [first] = accounts;
  const login = JSON.stringify({ username: first?.username, password: first?.password });
  return [
    "",
    "Accounts:",
    ...accounts.slice(0, -1).map(({ username, password }) => `  ${username}  password ${password}`),
    "",
    "Trade against the market maker:",
    `  curl -s -c jar -X POST ${url}/_sluice/queues/venue/enter > pass.json`,
    `  TOKEN=$(curl -s -b jar -H 'content-type: application/json' ${url}/api/v1/auth/login -d '${login}' | sed 's/.*"accessToken":"\\([^"]*\\).*/\\1/')`,
    `  curl -s -b jar "${url}/api/v1/market/btcidr/book?depth=3"`,
    `  curl -s -b jar -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' ${url}/api/v1/orders \\`,
    `    -d '{"pair":"btcidr","side":"buy","type":"market","quoteAmount":"1000000","clientOrderId":"my-first"}'`,
    `  curl -s -b jar -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' ${url}/api/v1/orders \\`,
    `    -d '{"pair":"btcidr","side":"buy","type":"market","quoteAmount":"1000000","targetProfit":"2","stopLoss":"1"}'`,
    `  curl -s -b jar -H "authorization: Bearer $TOKEN" ${url}/api/v1/wallet`,
    "",
  ];
}
