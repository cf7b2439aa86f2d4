import { describe, expect, it } from "vitest";
import { createTerminalProgress } from "./terminal-progress.ts";

function watched(isTTY: boolean) {
  let elapsedMs = 0;
  let text = "";
  const write = (more: string) => {
    text += more;
  };
  const output = { isTTY, columns: 80, write };
  const progress = createTerminalProgress({ output, elapsedMs: () => elapsedMs });
  const at = (ms: number) => {
    elapsedMs = ms;
  };
  return { progress, at, text: () => text };
}

const rows = (arrived: number) => [
  { label: "arrived", value: arrived, of: 400, isCount: true },
  { label: "waiting", value: 7 },
];

describe("progress", () => {
  it("prints one plain line every two seconds without a terminal, with the rate of each count", () => {
    const { progress, at, text } = watched(false);
    for (let ms = 0; ms <= 4_000; ms += 500) {
      at(ms);
      progress.show(rows(ms / 10));
    }
    expect(text().split("\n")).toEqual([
      "   0 s  arrived 0/400 (0/s), waiting 7",
      "   2 s  arrived 200/400 (100/s), waiting 7",
      "   4 s  arrived 400/400 (100/s), waiting 7",
      "",
    ]);
    expect(text()).not.toContain("\x1b");
  });

  it("redraws bars in place on a terminal, below the printed lines", () => {
    const { progress, at, text } = watched(true);
    progress.show(rows(100));
    at(1_000);
    progress.show(rows(200));
    expect(text()).toContain("\x1b[2A\x1b[0J");
    expect(text()).toContain(`${"█".repeat(15)}${"░".repeat(15)}       200 of 400    100/s`);
    progress.say("half of them");
    expect(text().slice(text().lastIndexOf("half of them"))).toContain("arrived");
    progress.end();
    progress.say("done");
    expect(text().endsWith("done\n")).toBe(true);
  });
});
