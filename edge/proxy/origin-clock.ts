/**
 * Measures how long the origin lets us wait, and only that. It runs while the next step is the origin's: taking a piece
 * of the request's body, or sending response headers once it has the whole request. It stands still while the client
 * is slow, so a long upload is never cut for its length, and an origin that stops reading is given up all the same.
 */
export class OriginClock {
  readonly #limitMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expire: (value: "expired") => void = ignore;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** From now on the origin has the whole limit for its next step. */
  run(): void {
    this.pause();
    this.#timer = setTimeout(this.#expire, this.#limitMs, "expired");
  }

  pause(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  /** The origin's answer, or the news that it let us wait too long. The clock must not run before it is asked for. */
  answerOf<Answer>(asked: Promise<Answer>): Promise<Answer | "expired"> {
    return new Promise((resolve, reject) => {
      this.#expire = resolve;
      asked.then(resolve, reject);
    });
  }
}

function ignore(): void {}
