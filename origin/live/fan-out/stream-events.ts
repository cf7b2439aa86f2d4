import type { Frame } from "./frames.ts";

/**
 * Messages as server-sent events. The id of an event holds the reader's `seq` of every channel of the stream after that
 * event, in the order of the channels' names: a browser sends it back as `Last-Event-ID`, and each channel resumes
 * where it was. `positions` is changed accordingly.
 */
export function streamEvents(frames: readonly Frame[], positions: Map<string, number>): Buffer {
  const events = frames.map(({ channel, seq, json }) => {
    positions.set(channel, seq);
    const epoch = /"epoch":"([^"]*)"/.exec(json)?.[1] ?? "";
    return `id: ${epoch}.${[...positions.values()].join("-")}\ndata: ${json}\n\n`;
  });
  return Buffer.from(events.join(""));
}

const EVENT_ID = /^([\w-]{1,32})\.(\d{1,16}(?:-\d{1,16})*)$/;

/** The positions in a `Last-Event-ID`, by the names of the stream's channels; undefined if it is not one of ours. */
export function readEventId(
  id: string,
  channels: readonly string[],
): Readonly<Record<string, { readonly epoch: string; readonly seq: number }>> | undefined {
  const [, epoch = "", list = ""] = EVENT_ID.exec(id) ?? [];
  const seqs = list.split("-").map(Number);
  const names = [...channels].sort();
  if (epoch === "" || seqs.length !== names.length || !seqs.every(Number.isSafeInteger)) return undefined;
  const known = names.map((name, index) => [name, { epoch, seq: seqs[index] ?? 0 }] as const);
  return Object.fromEntries(known.filter(([, { seq }]) => seq > 0));
}
