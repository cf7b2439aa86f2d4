import { createHmac, timingSafeEqual } from "node:crypto";
import { COMMAND_ID_CHARS_MAX } from "../commands/command-id.ts";

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
const SEALED = /^(.+)\.([\w-]{22})$/;

/** The longest text that can be one. */
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
