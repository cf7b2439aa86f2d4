import { describe, expect, it } from "vitest";
import type { Part } from "./plan-stack.ts";
import { runStack } from "./run-stack.ts";
import { startChild } from "./servers/child.ts";
import { freePort } from "./servers/free-port.ts";

type Program = { readonly name: string; readonly script: string; readonly isNeverReady?: boolean };

async function part({ name, script, isNeverReady = false }: Program): Promise<Part> {
  const start = async () => {
    const child = startChild({ name, command: process.execPath, args: ["-e", script] });
    if (isNeverReady) await new Promise(() => {});
    return child;
  };
  return { name, what: name, port: await freePort(), portVariable: "PORT", needs: [], sources: [], start };
}

describe("runStack", () => {
  it("reports which part died while another was still starting, instead of waiting for parts that depend on it", async () => {
    const dying = await part({
      name: "dying",
      script: "setTimeout(() => { console.log('out of luck'); process.exit(3); }, 100)",
    });
    const waiting = await part({ name: "waiting", script: "setInterval(() => {}, 1000)", isNeverReady: true });
    const starting = runStack([dying, waiting], { stopAsked: new AbortController().signal, onReady: () => {} });
    await expect(starting).rejects.toThrow(/^dying exited with code 3.*\n.*out of luck/);
  });
});
