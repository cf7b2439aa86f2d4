import { useEffect, useState } from "preact/hooks";

export const QUEUE_TABS = ["live", "event", "sessions", "invites", "changes"] as const;
export type QueueTab = (typeof QUEUE_TABS)[number];

export type Place =
  | { readonly view: "queues" }
  | { readonly view: "audit" }
  | { readonly view: "queue"; readonly queueId: string; readonly tab: QueueTab };

/**
 * Where the operator is stands behind the `#`, so that a reload, a bookmark and the back button work, and the edge
 * serves one page.
 */
export function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const follow = () => setPlace(placeOf(location.hash));
    addEventListener("hashchange", follow);
    // The operator may have navigated between the first rendering and this moment.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return place;
}

export function queueLink(queueId: string, tab: QueueTab = "live"): string {
  return tab === "live" ? `#/queues/${queueId}` : `#/queues/${queueId}/${tab}`;
}

const QUEUE_PLACE = /^#\/queues\/([a-z0-9-]{1,64})(?:\/([a-z]+))?$/;

function placeOf(hash: string): Place {
  if (hash === "#/audit") return { view: "audit" };
  const [, queueId, name = "live"] = QUEUE_PLACE.exec(hash) ?? [];
  if (queueId === undefined) return { view: "queues" };
  return { view: "queue", queueId, tab: QUEUE_TABS.find((tab) => tab === name) ?? "live" };
}
