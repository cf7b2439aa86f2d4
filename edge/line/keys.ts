/**
 * Every key of the gate is named here. All keys of one queue share its hash tag, so that a script finds them in one
 * slot.
 */
export function queueKeys(queueId: string) {
  return {
    meta: `queue:{${queueId}}:meta`,
    waiting: `queue:{${queueId}}:waiting`,
    beats: `queue:{${queueId}}:beats`,
    active: `queue:{${queueId}}:active`,
    ready: `queue:{${queueId}}:ready`,
    bucket: `queue:{${queueId}}:bucket`,
    revoked: `queue:{${queueId}}:revoked`,
    stats: `queue:{${queueId}}:stats`,
  };
}

/** Keys that belong to no queue: few and small. One hash tag, because one script reads both. */
export const directoryKeys = { queues: "gate:{directory}:queues", routes: "gate:{directory}:routes" };

/** The operators' changes. With the routes' hash tag, because one script replaces the routes and records the change. */
export const auditKeys = { pending: "gate:{directory}:audit:pending", log: "gate:{directory}:audit" };

export function usedKey(queueId: string, ticketId: string): string {
  return `queue:{${queueId}}:used:${ticketId}`;
}

export function sessionKey(queueId: string, sessionId: string): string {
  return `queue:{${queueId}}:session:${sessionId}`;
}

/** The address is a keyed hash: the store holds no addresses. */
export function addressKey(queueId: string, addressHash: string): string {
  return `queue:{${queueId}}:ip:${addressHash}`;
}

/** Which tickets have used an invite. */
export function inviteKey(queueId: string, inviteId: string): string {
  return `queue:{${queueId}}:invite:${inviteId}`;
}

/** The place of a person whom an invite names; the person is a keyed hash. */
export function personKey(queueId: string, person: string): string {
  return `queue:{${queueId}}:person:${person}`;
}

/** A proof of work that was spent. */
export function proofKey(queueId: string, challengeId: string): string {
  return `queue:{${queueId}}:proof:${challengeId}`;
}

/** There while the visitor of a revoked session may not join again. */
export function banKey(queueId: string, sessionId: string): string {
  return `queue:{${queueId}}:ban:${sessionId}`;
}

/** Every pass from before that moment is refused: a queue of this name was deleted then. */
export function revokedAllKey(queueId: string): string {
  return `revocation:{${queueId}}:all`;
}

/** `id` is a session's or a single pass's (`jti`). */
export function revocationKey(queueId: string, id: string): string {
  return `revocation:{${queueId}}:${id}`;
}
