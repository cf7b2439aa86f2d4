import type { ClientRequest, IncomingMessage } from "node:http";
import type { OriginClock } from "../proxy/origin-clock.ts";

type Upload = { readonly from: IncomingMessage; readonly to: ClientRequest; readonly clock: OriginClock };

/**
 * Moves a request's body to the origin no faster than the origin takes it, and tells the clock whose turn it is: the origin's
 * while a piece is on its way or once it has the whole request, the client's otherwise. A body that breaks off is never ended
 * here: the request to the origin goes with its client, and half an upload is not taken for a whole one.
 */
export function sendUpload({ from, to, clock }: Upload): void {
  let piecesOnTheWay = 0;
  const onTaken = () => {
    piecesOnTheWay--;
    if (piecesOnTheWay > 0) clock.run();
    else if (!from.readableEnded) clock.pause();
  };
  from.on("data", (bytes: Buffer) => {
    if (piecesOnTheWay === 0) clock.run();
    piecesOnTheWay++;
    if (!to.write(bytes, onTaken)) from.pause();
  });
  to.on("drain", () => from.resume());
  from.on("end", () => {
    clock.run();
    to.end();
  });
  // The origin wants no more of it: it has answered early or is gone. The server lets go what still comes.
  to.on("close", () => from.removeAllListeners("data"));
}
