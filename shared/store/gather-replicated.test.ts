import { describe, expect, it } from "vitest";
import { type Answered, gatherReplicated } from "./gather-replicated.ts";

/** Gives these answers, one round after the other, and notes what was asked. */
function wireThatAnswers(...rounds: (readonly Answered[])[]) {
  const asked: string[] = [];
  const wire = {
    sendAndWait: async (calls: readonly string[], { replicas }: { readonly replicas: number }) => {
      asked.push([...calls, `WAIT ${replicas}`].join(", "));
      return rounds.shift() ?? [];
    },
    refreshSlots: async () => void asked.push("where keys lie"),
  };
  return { asked, run: gatherReplicated({ wire, replicas: 2, atEndOfTurn: queueMicrotask }) };
}

describe("calls that wait for replicas", () => {
  it("are sent together, with one WAIT behind them, and answered when enough replicas have them", async () => {
    const { asked, run } = wireThatAnswers([
      [null, "a"],
      [null, "b"],
      [null, 2],
    ]);
    expect(await Promise.all([run("q", "one"), run("q", "two")])).toEqual([{ value: "a" }, { value: "b" }]);
    expect(asked).toEqual(["one, two, WAIT 2"]);
  });

  it("fail when fewer replicas have them, or the number is unknown", async () => {
    const { run } = wireThatAnswers(
      [
        [null, "a"],
        [null, 1],
      ],
      [[null, "a"], [new Error("gone")]],
      [],
    );
    await expect(run("q", "one")).rejects.toThrow("1 of 2 replicas have the change");
    await expect(run("q", "one")).rejects.toThrow("gone");
    await expect(run("q", "one")).rejects.toThrow("no answer");
  });

  it("fail by their own error, each by itself", async () => {
    const { run } = wireThatAnswers([[new Error("wrong type")], [null, "b"], [null, 2]]);
    const [one, two] = await Promise.allSettled([run("q", "one"), run("q", "two")]);
    expect([one.status, two]).toEqual(["rejected", { status: "fulfilled", value: { value: "b" } }]);
  });

  it("are sent once more when all their keys lie elsewhere by now, and only then", async () => {
    const moved: Answered = [new Error("MOVED 1 127.0.0.1:7001")];
    const { asked, run } = wireThatAnswers(
      [moved, [null, 0]],
      [
        [null, "a"],
        [null, 2],
      ],
      [moved, [null, "b"], [null, 2]],
    );
    expect(await run("q", "one")).toEqual({ value: "a" });
    expect(asked).toEqual(["one, WAIT 2", "where keys lie", "one, WAIT 2"]);
    await Promise.allSettled([run("q", "one"), run("q", "two")]);
    expect(asked).toHaveLength(4);
  });
});
