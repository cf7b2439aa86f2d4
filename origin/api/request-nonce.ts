import type { Nonce } from "../engine/command.ts";

/**
 * What makes a signed request one that is done once. Where an operation `submitsCommand`, the signature is not remembered before it runs: the engine
 * does that, with the command. So such an operation must give the nonce to its commands before it answers that something was done.
 */
export type RequestNonce = {
  /** For the command at this place of the request: the same request has the same commands at the same places. */
  readonly take: (place: number) => Nonce;
  /** The request has come to nothing: it may come again. */
  readonly waive: () => void;
  readonly isLeft: () => boolean;
};

export function createRequestNonce({ id, until }: Nonce): RequestNonce {
  let isLeft = true;
  return {
    take(place) {
      isLeft = false;
      return { id: place === 0 ? id : `${id}.${place}`, until };
    },
    waive() {
      isLeft = false;
    },
    isLeft: () => isLeft,
  };
}
