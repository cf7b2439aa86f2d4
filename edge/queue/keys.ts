/** Every key of the gate is named here. All keys of one queue share its hash tag, so that a script finds them in one slot. */
export function queueKeys(queueId: string) {
  return {
    meta: `queue:{${queueId}}:meta`,
    waiting: `queue:{${queueId}}:waiting`,
    beats: `queue:{${queueId}}:beats`,
    active: `queue:{${queueId}}:active`,
    ready: `queue:{${queueId}}:ready`,
    bucket: `queue:{${queueId}}:bucket`,
    revoked: `queue:{${queueId}}:revoked`,
  };
}

/** What is not of one queue: few and small. One hash tag, because one script reads both. */
export const directoryKeys = { queues: "gate:{directory}:queues", routes: "gate:{directory}:routes" };

export function usedKey(queueId: string, ticketId: string): string {
  return `queue:{${queueId}}:used:${ticketId}`;
}

export function sessionKey(queueId: string, sessionId: string): string {
  return `queue:{${queueId}}:session:${sessionId}`;
}

/** The address is a keyed hash: no address stands in the store. */
export function addressKey(queueId: string, addressHash: string): string {
  return `queue:{${queueId}}:ip:${addressHash}`;
}

/** `id` is a session's or a single pass's (`jti`). */
export function revocationKey(queueId: string, id: string): string {
  return `revocation:{${queueId}}:${id}`;
}
