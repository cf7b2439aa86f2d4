import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startStack } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { openVenueClient } from "../../origin/operators/demo/venue-client.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

it("npm run sluice -- demo gives a stack two traders and a market, which goes when it is stopped", async () => {
  const folder = await temporaryFolder();
  const stack = await startStack({ folder });
  const demo = spawn(process.execPath, ["stack/prepare.mjs", "origin/operators/main.ts", "demo"], {
    cwd: root,
    env: { ...process.env, SLUICE_DATA_DIR: folder, SLUICE_URL: stack.url },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(demo, "close");
  let output = "";
  demo.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  try {
    await expect
      .poll(() => output, { timeout: 60_000 })
      .toContain("The market maker quotes btcidr, btcusdt, ethidr, ethusdt: 40 orders");
    const passwords = JSON.parse(await readFile(join(folder, "demo.json"), "utf8")) as { demo_anna: string };
    expect(output).toContain(`demo_anna  password ${passwords.demo_anna}`);
    const anna = await openVenueClient({ url: stack.url, username: "demo_anna", password: passwords.demo_anna });
    const order = { pair: "btcidr", side: "buy", type: "market", quoteAmount: "1000000" };
    // Between two rounds the book is empty for a moment.
    await expect.poll(async () => (await anna.call("POST", "/orders", order)).body).toMatchObject({ status: "filled" });
    const { balances } = (await anna.call("GET", "/wallet")).body as {
      balances: readonly { currency: string; total: string }[];
    };
    expect(balances.map(({ currency }) => currency)).toEqual(["btc", "eth", "idr", "usdt"]);
    expect(Number(balances[0]?.total)).toBeGreaterThan(1);
    demo.kill("SIGINT");
    expect((await ended)[0]).toBe(0);
    const book = async () => (await anna.call("GET", "/market/btcidr/book")).body;
    await expect.poll(book).toMatchObject({ bids: [], asks: [] });
  } finally {
    demo.kill("SIGKILL");
    await ended;
    stack.process.kill("SIGINT");
    await stack.exited;
  }
});
