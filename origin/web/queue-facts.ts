import { html } from "hono/html";

type ShownQueue = { readonly queueId: string; readonly name: string; readonly note: string };

/**
 * How full a queue is. The script fills it in from the gate's public numbers; without it, links lead to the same
 * numbers as JSON.
 */
export function queueFacts({ queueId, name, note }: ShownQueue) {
  return html`<section class="queue" data-queue="${queueId}" aria-label="The queue ${name} now">
<h2>${name} <small>${note}</small></h2>
<dl class="facts">
<div><dt>Inside</dt><dd data-fact="active">–</dd></div>
<div><dt>In line</dt><dd data-fact="waiting">–</dd></div>
<div><dt>Wait</dt><dd data-fact="wait">–</dd></div>
</dl>
<noscript><p class="fine">Live numbers need JavaScript. <a href="/_sluice/queues/${queueId}">The same numbers as JSON</a></p></noscript>
</section>`;
}
