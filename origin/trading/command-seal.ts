import { createHmac, timingSafeEqual } from "node:crypto";
import { COMMAND_ID_CHARS_MAX } from "../journal/command-text.ts";

/**
 * The id of a command as its owner receives it: sealed with the owner's id, so that no other user can read its outcome,
 * and nothing has to be stored about its sender.
 */
export type CommandSeal = {
  readonly seal: (commandId: string, userId: string) => string;
  /** The command's id, if it was sealed for this user. */
  readonly open: (sealed: string, userId: string) => string | undefined;
};

const SEAL_CHARS = 22;
const SEALED = /^(.+)\.([\w-]{22})$/;

/** The maximum length of a sealed id. */
export const SEALED_CHARS_MAX = COMMAND_ID_CHARS_MAX + 1 + SEAL_CHARS;

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
