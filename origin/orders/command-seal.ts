import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * The id of a command as its owner gets it: with a seal over both, so that its outcome can be asked for by nobody else, and nothing
 * has to be kept about who sent what.
 */
export type CommandSeal = {
  readonly seal: (commandId: string, userId: string) => string;
  /** The command's id, if this user was given it. */
  readonly open: (sealed: string, userId: string) => string | undefined;
};

const SEAL_CHARS = 22;
const SEALED = /^(\d{1,16}-\d{1,16}-\d{1,6})\.([\w-]{22})$/;

export function createCommandSeal(key: Buffer): CommandSeal {
  const sealOf = (commandId: string, userId: string) =>
    createHmac("sha256", key).update(`${userId} ${commandId}`).digest("base64url").slice(0, SEAL_CHARS);
  return {
    seal: (commandId, userId) => `${commandId}.${sealOf(commandId, userId)}`,
    open(sealed, userId) {
      const [, commandId = "", shown = ""] = SEALED.exec(sealed) ?? [];
      if (commandId === "") return undefined;
      return timingSafeEqual(Buffer.from(shown), Buffer.from(sealOf(commandId, userId))) ? commandId : undefined;
    },
  };
}
