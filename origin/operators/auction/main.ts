import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";
import { complain, NOT_UNDERSTOOD, readArgs, runCommand } from "../../../stack/program/command-line.ts";
import {
  checkAuction,
  type PublishedAuction,
  publishedAuctionSchema,
  publishedOrderSchema,
  publishedTradeSchema,
} from "./check-auction.ts";
import { fetchAuction } from "./fetch-auction.ts";

const USAGE = `npm run verify-auction -- --pair PAIR --number N [--url URL] [--order ID]... [--save FILE]
npm run verify-auction -- --file FILE [--order ID]...
  Recomputes the price and every fill of an opening from public data only.

  --pair PAIR    as in btcidr
  --number N     the number of the auction: GET /api/v1/market/{pair}/auction has the latest
  --url URL      the venue or the gate in front of it (default http://localhost:8787)
  --order ID     an order of yours: says whether it took part; may be given several times
  --save FILE    keeps the data that was read, for --file
  --file FILE    checks saved data, without the network

  Exits with 0 if everything was checked and is correct, 1 if something is wrong, 2 if something was not checked.`;

/** Only the owners of orders can say that one is missing. */
const WITHOUT_ORDERS =
  "Not checked: whether an order is missing from the list. Pass the ids of your own orders with --order.";

const args = process.argv.slice(2);
process.exitCode = await runCommand({ usage: USAGE, args, run: verify });

const savedSchema = z.object({
  record: publishedAuctionSchema,
  orders: z.array(publishedOrderSchema),
  trades: z.array(publishedTradeSchema),
});

async function verify(): Promise<number> {
  const read = readArgs({
    args,
    options: {
      pair: { type: "string" },
      number: { type: "string" },
      url: { type: "string", default: "http://localhost:8787" },
      order: { type: "string", multiple: true, default: [] },
      save: { type: "string" },
      file: { type: "string" },
    },
  });
  if (!read.ok) return complain(read.reason);
  const { values } = read.value;
  const auction = await auctionOf(values);
  if (typeof auction === "string") return complain(auction);
  if (values.save !== undefined) await writeFile(values.save, `${JSON.stringify(auction)}\n`);
  const ids = new Set(auction.orders.map(({ id }) => id));
  const faults = [
    ...checkAuction(auction),
    ...values.order.flatMap((id) => (ids.has(id) ? [] : [`Order ${id} is not among those that took part.`])),
  ];
  for (const fault of faults) print(fault);
  if (values.order.length === 0) print(WITHOUT_ORDERS);
  return conclude(auction, { faults: faults.length, isComplete: values.order.length > 0 });
}

type Values = { readonly pair?: string | undefined; readonly number?: string | undefined; readonly url: string } & {
  readonly file?: string | undefined;
};

async function auctionOf({ file, pair, number, url }: Values): Promise<PublishedAuction | string> {
  if (file !== undefined) {
    const saved = savedSchema.safeParse(JSON.parse(await readFile(file, "utf8")));
    return saved.success ? saved.data : `${file} is not the saved data of an auction.`;
  }
  if (pair === undefined || !/^[1-9]\d{0,8}$/.test(number ?? ""))
    return "--pair and --number say which auction to check; see --help.";
  try {
    return await fetchAuction({ url, pair, number: Number(number) });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

type Conclusion = { readonly faults: number; readonly isComplete: boolean };

function conclude({ record, orders, trades }: PublishedAuction, { faults, isComplete }: Conclusion): number {
  const counts = `${orders.length} orders and ${trades.length} trades checked`;
  if (faults > 0) print("This opening is not correct.");
  else if (record.price === null) print(`Nothing traded, as it should be. ${counts}.`);
  else print(`The price ${record.price} and every fill are as the rules demand. ${counts}.`);
  return faults > 0 ? 1 : isComplete ? 0 : NOT_UNDERSTOOD;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
