import { changeQueue } from "./change-queue.ts";
import { createQueue } from "./create-queue.ts";
import { createRevocation } from "./create-revocation.ts";
import { deleteQueue } from "./delete-queue.ts";
import { endSession } from "./end-session.ts";
import { listQueues } from "./list-queues.ts";
import { listSessions } from "./list-sessions.ts";
import type { Operation } from "./operation.ts";
import { readQueue } from "./read-queue.ts";
import { readRoutes } from "./read-routes.ts";
import { replaceRoutes } from "./replace-routes.ts";

/** Everything an operator can do, in the order of the document. */
export const operations: readonly Operation[] = [
  listQueues,
  createQueue,
  readQueue,
  changeQueue,
  deleteQueue,
  listSessions,
  endSession,
  createRevocation,
  readRoutes,
  replaceRoutes,
];
