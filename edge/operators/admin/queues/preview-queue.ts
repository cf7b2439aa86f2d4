import { z } from "zod";
import { systemClock } from "../../../../shared/clock.ts";
import { newId, systemRandom } from "../../../../shared/ids.ts";
import { LANGUAGES } from "../../../line/page/language.ts";
import { renderRoom } from "../../../room/room.ts";
import { pageHeaders } from "../../../room/room-response.ts";
import { ROOM_STATE_NAMES } from "../../../room/room-state.ts";
import { sampleState } from "../../../room/sample-state.ts";
import { defineOperation } from "../operation.ts";
import { queueParams } from "../schemas.ts";

export const previewQueue = defineOperation({
  method: "get",
  path: "/admin/queues/{queueId}/preview",
  id: "previewQueue",
  summary: "A visitor's page as this queue shows it, with sample numbers; its script does not run",
  params: queueParams,
  query: z.strictObject({
    state: z.enum(ROOM_STATE_NAMES).default("waiting").describe("Which page."),
    lang: z.enum(LANGUAGES).optional().describe("The language; left out, the queue's own."),
  }),
  answers: { 200: { description: "The page.", schema: z.string(), mediaTypes: ["text/html"] } },
  refusals: ["queue_not_found"],
  async run({ registry, refuse }, { params: { queueId }, query: { state, lang } }) {
    const record = await registry.readQueue(queueId);
    if (record === undefined) return refuse("queue_not_found");
    const { settings } = record;
    const chosen = lang ?? settings.language;
    const language = { language: chosen, locale: chosen };
    const nowMs = systemClock.nowMs();
    const nonce = newId(systemRandom);
    const page = renderRoom({
      state: sampleState(state, nowMs, settings),
      language,
      queue: { queueId, settings },
      siteName: queueId,
      next: { kind: "stay" },
      returnTo: "#",
      mayReload: true,
      nonce,
      requestId: "preview",
      nowMs,
      isPreview: true,
    });
    return new Response(page, { headers: pageHeaders({ nonce, language, mayBeFramed: true }) });
  },
});
