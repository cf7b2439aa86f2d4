import type { QueueId } from "../../shared/queue-id.ts";
import { tokenCookieName } from "../../shared/tokens/admission.ts";
import { requestText } from "../http/request-text.ts";
import type { Target } from "../target/target.ts";

/** The requests of a visitor as they go over the wire, from any address: the edge reads it from a header. */
export type VisitorRequests = {
  readonly ticketCookie: string;
  readonly passCookie: string;
  readonly page: (visitor: Asking) => string;
  readonly poll: (visitor: Asking) => string;
  readonly leave: (visitor: Asking) => string;
};

export type Asking = { readonly url: string; readonly address: string; readonly cookie: string };

const AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";

export function createVisitorRequests({
  urls,
  queueId,
  path,
}: Pick<Target, "urls" | "queueId" | "path">): VisitorRequests {
  const secure = urls[0].startsWith("https:");
  const hosts = new Map(urls.map((url) => [url, new URL(url).host]));
  const route = (verb: string) => `/_sluice/queues/${queueId}/${verb}`;

  function text(method: "GET" | "POST", at: string, { url, address, cookie }: Asking): string {
    const headers: Record<string, string> = {
      "user-agent": AGENT,
      accept: "application/json",
      "cf-connecting-ip": address,
    };
    if (cookie !== "") headers["cookie"] = cookie;
    return requestText({ method, path: at, host: hosts.get(url) ?? "", headers });
  }

  return {
    ticketCookie: tokenCookieName("ticket", queueId as QueueId, { secure }),
    passCookie: tokenCookieName("pass", queueId as QueueId, { secure }),
    page: (visitor) => text("GET", path, visitor),
    poll: (visitor) => text("POST", route("heartbeat"), visitor),
    leave: (visitor) => text("POST", route("leave"), visitor),
  };
}
