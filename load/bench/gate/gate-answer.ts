import type { Platform } from "../../../edge/proxy/platform.ts";

/** A constant answer instead of an origin's, so that only the gate is measured. */
export const answerInstead: Platform = {
  forward: (_visit, { onOriginHeaders } = {}) => {
    const response = new Response('{"keys":"of the length of a small answer"}', {
      headers: { "content-type": "application/json" },
    });
    onOriginHeaders?.(response.headers);
    return Promise.resolve(response);
  },
  watchSocket: (response) => response,
};
