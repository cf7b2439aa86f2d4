import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { afterAll, expect, it } from "vitest";
import { createOriginAgent } from "../../edge/node/origin-agents.ts";
import { startRecordingOrigin } from "../proxy/recording-origin.ts";

const origin = await startRecordingOrigin();
afterAll(() => origin.stop());

async function statusAt(site: string, { isPublicOnly }: { readonly isPublicOnly: boolean }): Promise<number | string> {
  const agent = createOriginAgent(site, { isPublicOnly });
  const asked = agent.open({ ...agent.address, method: "GET", path: "/", headers: ["host", agent.host] });
  asked.end();
  try {
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
    return response.statusCode ?? 0;
  } catch (error) {
    return (error as Error).message;
  } finally {
    agent.close();
  }
}

it("an agent for the public internet does not connect where a name leads to this machine", async () => {
  const site = `http://localhost:${origin.port}`;
  expect(await statusAt(site, { isPublicOnly: true })).toBe("the name has no public address");
  expect(origin.requests).toEqual([]);
  expect(await statusAt(site, { isPublicOnly: false })).toBe(200);
});
