/** Work that goes on after the answer has left: `waitUntil` of the platform. It must not reject. */
export type Later = (work: Promise<unknown>) => void;
