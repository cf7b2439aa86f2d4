import { addRoute } from "./add-route.ts";
import { changeQueue } from "./change-queue.ts";
import { createInvite } from "./create-invite.ts";
import { createQueue } from "./create-queue.ts";
import { createRevocation } from "./create-revocation.ts";
import { deleteQueue } from "./delete-queue.ts";
import { endSession } from "./end-session.ts";
import { listAudit } from "./list-audit.ts";
import { listQueues } from "./list-queues.ts";
import { listSessions } from "./list-sessions.ts";
import type { Operation } from "./operation.ts";
import { previewQueue } from "./preview-queue.ts";
import { readQueue } from "./read-queue.ts";
import { readRoutes } from "./read-routes.ts";
import { readSession } from "./read-session.ts";
import { readStatsOperation } from "./read-stats.ts";
import { removeRoute } from "./remove-route.ts";
import { replaceRoutes } from "./replace-routes.ts";
import { revokeInvite } from "./revoke-invite.ts";

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
