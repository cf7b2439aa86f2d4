import type { Logger } from "pino";

type Stage = { readonly name: string; readonly stop: () => Promise<unknown> };

/**
 * On SIGTERM or SIGINT stops the stages in reverse order of their start and exits. The parent process sends SIGKILL
 * after a while, so no timer is needed here.
 */
export function stopOnSignal(log: Logger, stages: readonly Stage[]): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    let code = 0;
    for (const stage of stages.toReversed()) {
      try {
        await stage.stop();
      } catch (error) {
        code = 1;
        log.error({ err: error, stage: stage.name }, "stage did not stop cleanly");
      }
    }
    process.exit(code);
  };
  process.on("SIGTERM", () => void stop());
  process.on("SIGINT", () => void stop());
}
