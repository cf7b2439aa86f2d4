import type { Platform } from "../../edge/platform.ts";

/** What an origin would have said, without one: the way through the gate alone remains to be measured. */
export const answerInstead: Pick<Platform, "forward" | "watchSocket"> = {
  forward: (_visit, { hear } = {}) => {
    const response = new Response('{"keys":"of the length of a small answer"}', { headers: { "content-type": "application/json" } });
    hear?.(response.headers);
    return Promise.resolve(response);
  },
  watchSocket: (response) => response,
};
