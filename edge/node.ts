import { gateOfIsolate } from "./admit/open-gate.ts";
import { sweepQueues } from "./admit/sweep-queues.ts";
import { createApp } from "./app.ts";
import { runEdge } from "./node/run-edge.ts";

/** The edge on Node, for those who host the gate themselves: the same app as in `worker.ts`, straight on a Redis. */
await runEdge({
  createApp,
  sweep: async (configuration) => {
    const gate = await gateOfIsolate(configuration);
    if (gate.ok) await sweepQueues(gate.value);
  },
});
