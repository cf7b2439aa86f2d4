import { assert } from "../../shared/assert.ts";
import type { ErrorCode } from "../../shared/errors.ts";
import type { Caller, Identity, RefusalOptions } from "../api/operation.ts";
import type { CommandBody, Commands, RefusalCode, Submitted } from "../commands/commands.ts";
import type { Outcome, RejectCode, Rejected } from "../engine/outcome.ts";
import type { CommandSeal } from "./command-seal.ts";
import { refusalOf } from "./refuse-reject.ts";
import { createToldSequences } from "./told-sequences.ts";

/**
 * Where requests become commands and outcomes become answers. It remembers how far each user was told that things have gone, so that what
 * they read next is not older. It keeps nothing else: the stream and the journal are the truth.
 */
export type Desk = {
  /** All of them at once, each with its own end. `place` is where in the request a command comes from. */
  readonly sendAll: (caller: UserCaller, commands: readonly PlacedCommand[]) => Promise<readonly Sent[]>;
  /** One command, and the answer to it. */
  readonly send: (caller: UserCaller, command: CommandBody, end: EndOf) => Promise<Response>;
  /** Undefined once what the caller was told can be read; else the refusal. */
  readonly catchUp: (caller: Caller) => Promise<Response | undefined>;
  /** What became of a command of this user. */
  readonly outcomeOf: (userId: string, sealedId: string) => ReturnType<Commands["outcomeOf"]>;
};

export type UserCaller = Caller & { readonly identity: Identity };

type PlacedCommand = { readonly command: CommandBody; readonly place: number } & Pick<EndOf, "onSubmitted">;

export type Accepted = Exclude<Outcome, Rejected>;

export type Sent =
  | { readonly kind: "accepted"; readonly outcome: Accepted; readonly sequence: number }
  | { readonly kind: "rejected"; readonly code: RejectCode; readonly sequence: number }
  /** It may still happen. The id is sealed for the user; there is none if the store went away while it was written. */
  | { readonly kind: "unknown"; readonly commandId: string | undefined }
  /** Nothing was written. */
  | { readonly kind: "refused"; readonly code: RefusalCode };

type EndOf = {
  readonly accepted: (outcome: Accepted, headers: Readonly<Record<string, string>>) => Response | Promise<Response>;
  /** Where the engine's reason is not what the caller should hear: another one. */
  readonly instead?: (code: RejectCode) => Promise<RejectCode>;
  /** Others who shall see its effect in what they read next. */
  readonly alsoTold?: readonly string[];
  /** Called once with what the command came to, before anything is answered. */
  readonly onSubmitted?: (submitted: Submitted) => void;
};

export const SEQUENCE_HEADER = "venue-sequence";
const SEQUENCE = /^\d{1,15}$/;

const RETRY_AFTER_SECONDS = 1;

export function createDesk({ commands, seal }: { readonly commands: Commands; readonly seal: CommandSeal }): Desk {
  const told = createToldSequences();

  async function submit({ identity }: UserCaller, { command, place, onSubmitted }: PlacedCommand): Promise<Sent> {
    const userId = identity.user.id;
    const submitted = await commands.submit("nonce" in identity ? { ...command, nonce: identity.nonce.take(place) } : command);
    onSubmitted?.(submitted);
    if (submitted.kind === "refused") return submitted;
    if (submitted.kind === "unknown") {
      const { commandId } = submitted;
      return { kind: "unknown", commandId: commandId === "" ? undefined : seal.seal(commandId, userId) };
    }
    const { outcome, sequence } = submitted;
    told.tell(userId, sequence);
    return outcome.kind === "rejected" ? { kind: "rejected", code: outcome.code, sequence } : { kind: "accepted", outcome, sequence };
  }

  return {
    sendAll(caller, all) {
      if (all.length === 0 && "nonce" in caller.identity) caller.identity.nonce.waive();
      return Promise.all(all.map((each) => submit(caller, each)));
    },
    async send(caller, command, { accepted, instead, alsoTold = [], onSubmitted }) {
      const sent = await submit(caller, { command, place: 0, ...(onSubmitted && { onSubmitted }) });
      if (sent.kind === "unknown" && sent.commandId !== undefined) return answerUnknown(caller, sent.commandId);
      const refusal = sent.kind === "rejected" && instead !== undefined ? refusalOf(await instead(sent.code)) : refusalOfSent(sent);
      const headers = "sequence" in sent ? { [SEQUENCE_HEADER]: String(sent.sequence) } : {};
      if (refusal !== undefined) return caller.refuse(refusal[0], { ...refusal[1], headers });
      assert(sent.kind === "accepted", "what was not refused was accepted");
      for (const userId of alsoTold) told.tell(userId, sent.sequence);
      return accepted(sent.outcome, headers);
    },
    async catchUp(caller) {
      const asked = caller.header(SEQUENCE_HEADER) ?? "0";
      if (!SEQUENCE.test(asked)) {
        return caller.refuse("validation_failed", { errors: [{ field: SEQUENCE_HEADER, message: "must be a whole number" }] });
      }
      const sequence = Math.max(Number(asked), caller.identity === undefined ? 0 : told.of(caller.identity.user.id));
      if (sequence === 0 || (await commands.untilProjected(sequence))) return undefined;
      return caller.refuse("venue_catching_up", { retryAfterSeconds: RETRY_AFTER_SECONDS });
    },
    async outcomeOf(userId, sealedId) {
      const commandId = seal.open(sealedId, userId);
      if (commandId === undefined) return { kind: "forgotten" };
      const known = await commands.outcomeOf(commandId);
      if (known.kind === "committed") told.tell(userId, known.sequence);
      return known;
    },
  };
}

/** What a client is told of a command that was not accepted; undefined for one that was, or that can be asked for later. */
export function refusalOfSent(sent: Sent): readonly [ErrorCode, RefusalOptions?] | undefined {
  if (sent.kind === "rejected") return refusalOf(sent.code);
  if (sent.kind === "refused") return [sent.code, { retryAfterSeconds: RETRY_AFTER_SECONDS }];
  if (sent.kind === "unknown" && sent.commandId === undefined) {
    return ["store_unavailable", { retryAfterSeconds: RETRY_AFTER_SECONDS, detail: MAY_HAVE_HAPPENED }];
  }
  return undefined;
}

const MAY_HAVE_HAPPENED =
  "It is not known whether it was written. Under the same clientOrderId or reference it can be sent again; else look first what has become of it.";

/** Neither a success nor a failure, but a place to ask. */
function answerUnknown({ answer }: Caller, commandId: string): Response {
  return answer(202, { commandId, state: "pending" }, { location: `/api/v1/commands/${commandId}` });
}
