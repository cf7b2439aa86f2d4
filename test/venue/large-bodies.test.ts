import { describe, expect, it } from "vitest";
import { IS_FULL_RUN } from "../../kit/full-run.ts";
import { SLOW_MACHINE_MS, startStack } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { createVisitor, JSON_PLEASE, type Visitor } from "../gate/visitor.ts";

const ORDERS = IS_FULL_RUN ? 400 : 120;
const ORDERS_AT_ONCE = 4;
/**
 * Beyond the bound of an order; the last one beyond what is read and dropped, so that its sender may be cut off before
 * the answer.
 */
const BODY_BYTES = [80_000, 1_500_000, 3_000_000, 20_000_000];
const CUT_OFF_BYTES = 16_000_000;

/** A visitor whose bodies are refused repeatedly. Returns the answers. */
async function sendLargeBodies(url: string, isOver: () => boolean): Promise<Map<string, number>> {
  const visitor = createVisitor(url);
  await visitor.get("/", JSON_PLEASE);
  const answers = new Map<string, number>();
  for (let round = 0; !isOver(); round++) {
    const body = "x".repeat(BODY_BYTES[round % BODY_BYTES.length] ?? 0);
    const headers = { ...JSON_PLEASE, "content-type": "application/json" };
    const path = round % 3 === 2 ? "/no/such/page" : "/api/v1/orders";
    const answer = await visitor.send("POST", path, headers, body).then(
      ({ status }) => String(status),
      () => "no answer",
    );
    if (body.length < CUT_OFF_BYTES) answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  return answers;
}

async function signUp(visitor: Visitor): Promise<string> {
  await visitor.get("/", JSON_PLEASE);
  const account = { username: "trader", email: "trader@example.test", password: "a long enough secret" };
  const { json } = await visitor.send(
    "POST",
    "/api/v1/auth/register",
    { ...JSON_PLEASE, "content-type": "application/json" },
    JSON.stringify(account),
  );
  return String(json["accessToken"]);
}

describe.each(["worker", "node"])("with the edge in %s", (edge) => {
  it(
    "a visitor's refused large bodies fail no request of another visitor",
    async () => {
      const { url } = await startStack({ folder: await temporaryFolder(), environment: { SLUICE_EDGE: edge } });
      const trader = createVisitor(url);
      const token = await signUp(trader);
      // As in a browser: on its own connections, not on those that the other visitor's answers end.
      const browser = { "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" };
      const headers = {
        ...JSON_PLEASE,
        ...browser,
        "content-type": "application/json",
        authorization: `Bearer ${token}`,
      };
      const order = JSON.stringify({
        pair: "btcidr",
        side: "buy",
        type: "limit",
        price: "1000000000",
        quantity: "0.001",
      });

      let isOver = false;
      const attacks = [1, 2, 3].map(() => sendLargeBodies(url, () => isOver));
      const seen = new Map<string, number>();
      let sent = 0;
      const place = async () => {
        while (sent++ < ORDERS) {
          const { status, json } = await trader.send("POST", "/api/v1/orders", headers, order);
          const key = `${status} ${String(json["code"])}`;
          seen.set(key, (seen.get(key) ?? 0) + 1);
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
      };
      await Promise.all(Array.from({ length: ORDERS_AT_ONCE }, place));
      isOver = true;
      const answers = await Promise.all(attacks);
      // The trader has no money: every order reached the engine and was rejected by it.
      expect(Object.fromEntries(seen)).toEqual({ "409 balance_insufficient": ORDERS });
      for (const answer of answers) expect([...answer.keys()].filter((status) => status.startsWith("5"))).toEqual([]);
      expect(answers.reduce((count, answer) => count + (answer.get("413") ?? 0), 0)).toBeGreaterThan(0);
    },
    SLOW_MACHINE_MS,
  );
});
