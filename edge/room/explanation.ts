import { type Html, html, trusted } from "./html.ts";
import type { RoomQueue } from "./room.ts";
import type { PageTexts } from "./texts/room-texts.ts";
import { fill, type Words } from "./words.ts";

type Explained = {
  readonly queue: RoomQueue | undefined;
  readonly ticketId: string | undefined;
  readonly queueName: string;
  readonly page: PageTexts;
  readonly words: Words;
};

/** "Why am I here, is it fair?": the questions that people in every waiting room ask, answered on the page. */
export function explanation({ queue, ticketId, queueName, page, words }: Explained): Html | undefined {
  if (queue === undefined) return undefined;
  const keptFor = words.duration(queue.settings.returnGraceSeconds + queue.settings.heartbeatTtlSeconds);
  return html`<details class="how"><summary>${page.how}</summary>
<dl>
<dt>${page.whyQuestion}</dt><dd>${fill(page.why, { name: queueName })}</dd>
<dt>${page.fairQuestion}</dt><dd>${page.fair[queue.settings.order]}</dd>
${queue.settings.order === "lottery" && ticketId !== undefined ? html`<dt>${page.drawNumber}</dt><dd><code>${ticketId}</code></dd>` : undefined}
<dt>${page.closeQuestion}</dt><dd>${fill(page.close, { time: keptFor })}</dd>
</dl></details>`;
}

type Rejoining = {
  readonly queueId: string | undefined;
  readonly text: string | undefined;
  readonly isPreview: boolean;
};

/** Sent by a person who wants to, with or without a script: coming back to the page is not enough. */
export function rejoinForm({ queueId, text, isPreview }: Rejoining): Html | undefined {
  if (queueId === undefined || text === undefined) return undefined;
  return html`<form id="rejoin" method="post" action="/_sluice/queues/${queueId}/enter"><button class="button"${isPreview ? DISABLED : undefined}>${text}</button></form>`;
}

type Leaving = {
  readonly queueId: string | undefined;
  readonly page: PageTexts;
  readonly isShown: boolean;
  readonly isPreview: boolean;
};

const DISABLED = trusted(" disabled");
const HIDDEN = trusted(" hidden");

/** A form, because it works without a script; with one it asks first, because a place that was given up is gone. */
export function leaveForm({ queueId, page, isShown, isPreview }: Leaving): Html | undefined {
  if (queueId === undefined) return undefined;
  return html`<form id="leave" class="leave" method="post" action="/_sluice/queues/${queueId}/leave"${isShown ? undefined : HIDDEN}>
<p id="leave-ask" role="status"${isPreview ? HIDDEN : undefined}>${page.leaveAsk}</p>
<button id="leave-button" data-sure="${page.leaveYes}"${isPreview ? DISABLED : undefined}>${page.leave}</button>
</form>`;
}
