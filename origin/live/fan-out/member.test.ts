import { expect, it } from "vitest";
import { channelFrame } from "./frames.ts";
import { createMember, dropQueued, type Member, queueFrame, writeQueued } from "./member.ts";

function reader(unsent: number) {
  const written: Buffer[] = [];
  const due = new Set<Member>();
  let slow = 0;
  const outlet = {
    kind: "socket",
    write: (bytes: Buffer) => void written.push(bytes),
    unsentBytes: () => unsent,
  } as const;
  const member = createMember({ outlet, due, onSlow: () => slow++ });
  return { member, due, written, slow: () => slow };
}

const frame = (seq: number) =>
  channelFrame({ channel: "orders", epoch: "e", seq, prev: seq - 1, type: "update", data: '{"orders":[]}' });

it("sends everything that waits for a reader in one write", () => {
  const { member, due, written } = reader(0);
  queueFrame(member, frame(1));
  queueFrame(member, frame(2));
  expect(due.has(member)).toBe(true);
  writeQueued(member, Buffer.from("shared"));
  expect(written).toHaveLength(1);
  expect(String(written[0])).toMatch(/"seq":1.*"seq":2.*shared$/s);
  expect([due.size, member.queued.length]).toEqual([0, 0]);
});

it("reports a reader that has not taken 1 MiB, and writes nothing more to it", () => {
  const { member, written, slow } = reader(1024 * 1024 + 1);
  queueFrame(member, frame(1));
  writeQueued(member);
  expect([written.length, slow()]).toEqual([0, 1]);
});

it("forgets the size of messages that are dropped, so that the reader does not seem to be behind", () => {
  const { member } = reader(0);
  queueFrame(member, frame(1));
  dropQueued(member, "orders");
  expect([member.queued.length, member.queuedChars]).toEqual([0, 0]);
});
