import { describe, expect, it } from "vitest";
import { processesOf, SLOW_MACHINE_MS, startStack } from "../../kit/running-stack.ts";
import { temporaryFolder } from "../../kit/temporary-folder.ts";
import { createVisitor } from "../gate/visitor.ts";

describe("SLUICE_EDGE=node npm start", { timeout: SLOW_MACHINE_MS }, () => {
  it("comes up whole without workerd and bridge, lets visitors in and out, and leaves no process", async () => {
    const folder = await temporaryFolder();
    const stack = await startStack({ folder, environment: { SLUICE_EDGE: "node" } });
    const health = await fetch(`${stack.url}/_sluice/health`, { headers: { accept: "application/json" } });
    expect(health.status).toBe(200);
    expect(((await health.json()) as { parts: { name: string }[] }).parts.map(({ name }) => name)).toContain("store");
    const commands = processesOf(folder).map(({ command }) => command);
    expect(commands.filter((command) => /workerd|bridge\/main/.test(command))).toEqual([]);
    expect(commands.filter((command) => command.includes("edge/node.ts"))).toHaveLength(1);
    expect(stack.output()).toContain("the gate, on Node");
    const visit = await fetch(`${stack.url}/anything`);
    expect(visit.headers.getSetCookie().join()).toContain("sluice-pass-venue=");
    const person = createVisitor(stack.url);
    const inside = await person.get("/demo/", { accept: "text/html" });
    expect([
      inside.status,
      inside.text.includes("<h1>You are in</h1>"),
      person.cookies.has("sluice-pass-demo"),
    ]).toEqual([200, true, true]);
    const [, leave = ""] = /<form method="post" action="([^"]+)"/.exec(inside.text) ?? [];
    const left = await person.send("POST", leave);
    expect([left.status, person.cookies.has("sluice-pass-demo")]).toEqual([204, false]);
    stack.process.kill("SIGTERM");
    expect(await stack.exited).toBe(0);
    expect(processesOf(folder)).toEqual([]);
  });
});
