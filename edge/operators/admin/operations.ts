import { createInvite } from "./invites/create-invite.ts";
import { revokeInvite } from "./invites/revoke-invite.ts";
import { listAudit } from "./list-audit.ts";
import type { Operation } from "./operation.ts";
import { changeQueue } from "./queues/change-queue.ts";
import { createQueue } from "./queues/create-queue.ts";
import { deleteQueue } from "./queues/delete-queue.ts";
import { listQueues } from "./queues/list-queues.ts";
import { previewQueue } from "./queues/preview-queue.ts";
import { readQueue } from "./queues/read-queue.ts";
import { readStatsOperation } from "./read-stats.ts";
import { addRoute } from "./routes/add-route.ts";
import { removeRoute } from "./routes/remove-route.ts";
import { readRoutes, replaceRoutes } from "./routes/replace-routes.ts";
import { listSessions } from "./sessions/list-sessions.ts";
import { readSession } from "./sessions/read-session.ts";
import { createRevocation, endSession } from "./sessions/revoke.ts";

/** Everything an operator can do, in the order of the document. */
export const operations: readonly Operation[] = [
  listQueues,
  createQueue,
  readQueue,
  changeQueue,
  deleteQueue,
  previewQueue,
  readStatsOperation,
  listSessions,
  readSession,
  endSession,
  createRevocation,
  createInvite,
  revokeInvite,
  readRoutes,
  replaceRoutes,
  addRoute,
  removeRoute,
  listAudit,
];
