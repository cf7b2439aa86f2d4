import { describe, expect, it } from "vitest";
import { ReplyReader } from "../../../bridge/store/reply-json.ts";
import { createReplySplitter } from "./reply-splitter.ts";

const REPLIES =
  "+OK\r\n:-42\r\n$5\r\na\r\nb\n\r\n$-1\r\n*-1\r\n*0\r\n-ERR no\r\n*3\r\n$0\r\n\r\n*2\r\n:1\r\n*1\r\n$2\r\n*9\r\n+s\r\n$12\r\n0123456789ab\r\n";
const JSON_OF_REPLIES =
  '{"result":"OK"}{"result":-42}{"result":"a\\r\\nb\\n"}{"result":null}{"result":null}{"result":[]}{"error":"ERR no"}{"result":["",[1,["*9"]],"s"]}{"result":"0123456789ab"}';
const REPLY_COUNT = 9;

type Outcome = { text: string; tooLarge: number; broken: number };

function splitterOf(counts: readonly number[], replyBytesMax = 1_000_000) {
  const left = [...counts];
  const outcome: Outcome = { text: "", tooLarge: 0, broken: 0 };
  let count = 0;
  const splitter = createReplySplitter({
    nextCount: () => {
      count = left.shift() ?? 0;
      return count;
    },
    onReplies: (bytes, from) => {
      const reader = new ReplyReader(bytes, { from, isBase64: false });
      for (let reply = 0; reply < count; reply++) outcome.text += reader.item();
      outcome.text += "|";
    },
    onTooLarge: () => {
      outcome.tooLarge++;
      outcome.text += "too large|";
    },
    onBroken: () => outcome.broken++,
    replyBytesMax,
  });
  return { splitter, outcome };
}

describe("createReplySplitter", () => {
  it("finds the same replies wherever the bytes are cut in two", () => {
    const bytes = Buffer.from(REPLIES);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const { splitter, outcome } = splitterOf([REPLY_COUNT, REPLY_COUNT]);
      splitter.push(bytes.subarray(0, cut));
      splitter.push(Buffer.concat([bytes.subarray(cut), bytes.subarray(0, cut)]));
      splitter.push(bytes.subarray(cut));
      expect(outcome.text, `cut at ${cut}`).toBe(`${JSON_OF_REPLIES}|${JSON_OF_REPLIES}|`);
    }
  });

  it("finds the same replies byte by byte, in groups of any size", () => {
    const { splitter, outcome } = splitterOf([1, 3, 1, 4, REPLY_COUNT]);
    for (const byte of Buffer.from(REPLIES + REPLIES)) splitter.push(Buffer.from([byte]));
    expect(outcome.text.replaceAll("|", "")).toBe(JSON_OF_REPLIES + JSON_OF_REPLIES);
    expect(outcome.text.match(/\|/g)).toHaveLength(5);
  });

  it.each([1, 7, 64, 5_000])("skips a reply beyond the bound in chunks of %d and finds the next one", (chunkBytes) => {
    const { splitter, outcome } = splitterOf([1, 2, 1, 1], 1_000);
    const list = `*40\r\n${"$50\r\n".concat("x".repeat(50), "\r\n").repeat(40)}`;
    const bytes = Buffer.from(`+OK\r\n:1\r\n$3000\r\n${"y".repeat(3_000)}\r\n${list}:7\r\n`);
    for (let at = 0; at < bytes.length; at += chunkBytes) splitter.push(bytes.subarray(at, at + chunkBytes));
    const expected =
      chunkBytes === 5_000
        ? /^\{"result":"OK"\}\|.*\|\{"result":7\}\|$/
        : /^\{"result":"OK"\}\|too large\|too large\|\{"result":7\}\|$/;
    expect(outcome.text).toMatch(expected);
  });

  it("reports a reply that was not requested or is malformed, and stops", () => {
    const unasked = splitterOf([1]);
    unasked.splitter.push(Buffer.from("+OK\r\n+OK\r\n+OK\r\n"));
    expect(unasked.outcome).toMatchObject({ text: '{"result":"OK"}|', broken: 1 });
    const foreign = splitterOf([1, 1]);
    foreign.splitter.push(Buffer.from("HTTP/1.1 400 Bad Request\r\n"));
    foreign.splitter.push(Buffer.from("+OK\r\n"));
    expect(foreign.outcome).toMatchObject({ text: "", broken: 1 });
  });
});
