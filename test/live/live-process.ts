import { startLive } from "./live-stack.ts";

/** The hub with its sockets as a process that a test can kill. */
const live = await startLive({ url: process.env["VENUE_REDIS_URL"] ?? "", port: Number(process.env["PORT"]) });
process.send?.({ port: live.port });
