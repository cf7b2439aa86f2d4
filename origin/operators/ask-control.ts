import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { type ControlAnswer, type ControlPath, controlSocketIn, parseControlAnswer } from "./control-server.ts";

/** Undefined when no venue is running with this folder. */
export async function askControl(folder: string, path: ControlPath, body: object): Promise<ControlAnswer | undefined> {
  const asked = request({ socketPath: controlSocketIn(folder), method: "POST", path });
  asked.end(JSON.stringify(body));
  try {
    const [response] = (await once(asked, "response")) as [IncomingMessage];
    return parseControlAnswer(await text(response));
  } catch (error) {
    if (error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ECONNREFUSED"))
      return undefined;
    throw error;
  }
}
