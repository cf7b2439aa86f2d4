import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, it } from "vitest";
import { borrowRedis, type TestServer } from "../../kit/borrowed-servers.ts";
import { COMMANDS_KEY } from "../journal/keys.ts";
import { type CommandQueue, createCommandQueue, isLocal, type QueuedCommand } from "./command-queue.ts";
import type { Submitted } from "./submit/commands.ts";
import { createHandOff } from "./submit/hand-off.ts";

let server: TestServer;
let redis: Redis;
let blocking: Redis;
beforeAll(async () => {
  server = await borrowRedis({ fsync: "no" });
  redis = new Redis(server.url);
  blocking = new Redis(server.url);
});
afterAll(async () => {
  redis.disconnect();
  blocking.disconnect();
});

const handOff = createHandOff("node");
const told: Submitted[] = [];
const offer = (user: string) =>
  handOff.offer({ body: { kind: "cancelAll", user, pair: "" }, at: 1, settle: (answer) => void told.push(answer) });
const nameOf = (queued: QueuedCommand) => {
  const command = isLocal(queued) ? queued.body : queued.command;
  return "user" in command ? command.user : "";
};
const open = () => createCommandQueue({ redis, blocking, after: "", handOff });

function drain(queue: CommandQueue): readonly string[] {
  const names: string[] = [];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) names.push(nameOf(next));
  return names;
}

it("alternates between both ways, shows the next commands, and keeps that order when more arrive", async () => {
  const queue = open();
  for (let number = 0; number < 100; number++) offer(`local${number}`);
  const next = queue.peek(90).map(nameOf);
  expect(next).toEqual(Array.from({ length: 90 }, (_, number) => `local${number}`));
  const commands = JSON.stringify(Array.from({ length: 100 }, (_, number) => ["a", 1, `stream${number}`, ""]));
  await redis.xadd(COMMANDS_KEY, "5-0", "n", "other", "a", "1", "c", commands);
  await queue.fill();
  expect(queue.peek(90).map(nameOf)).toEqual(next);
  const all = drain(queue);
  expect(all.slice(0, 90)).toEqual(next);
  expect(all.slice(90, 92)).toEqual(["local90", "local91"]);
  expect(new Set(all).size).toBe(200);
  // Neither way waits for all of the other.
  expect(all.indexOf("stream0")).toBeLessThan(all.indexOf("local99") + 1 + 64);
  expect(queue.isEmpty()).toBe(true);
  queue.close();
});

it("leaves commands that were shown and not taken to the next lead, in their order", async () => {
  await redis.del(COMMANDS_KEY);
  const queue = open();
  for (const name of ["a", "b", "c", "d"]) offer(name);
  expect(queue.peek(2).map(nameOf)).toEqual(["a", "b"]);
  const first = queue.shift();
  expect(first === undefined ? "" : nameOf(first)).toBe("a");
  queue.close();
  expect(handOff.isOpen()).toBe(false);
  const next = open();
  expect(drain(next)).toEqual(["b", "c", "d"]);
  next.close();
});
