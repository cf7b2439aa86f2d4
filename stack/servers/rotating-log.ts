import { createWriteStream, fstatSync, openSync, renameSync, rmSync, type WriteStream } from "node:fs";

/**
 * A log file of bounded size: when it is full it becomes `.1`, the one before `.2`, and so on; the oldest is removed.
 * Every line is complete and in exactly one file: pending writes follow a renamed file.
 */
export type RotatingLog = { readonly write: (line: string) => void; readonly end: () => void };

type LogBounds = { readonly bytesMax?: number; readonly oldFilesMax?: number };

const BYTES_MAX = 16 * 1024 * 1024;
const OLD_FILES_MAX = 3;

export function openRotatingLog(
  file: string,
  { bytesMax = BYTES_MAX, oldFilesMax = OLD_FILES_MAX }: LogBounds = {},
): RotatingLog {
  let bytes = 0;
  let stream = open();

  /** Opened now, not with the first write: by then the name may belong to another file. */
  function open(): WriteStream {
    const fd = openSync(file, "a", 0o600);
    bytes = fstatSync(fd).size;
    const opened = createWriteStream(file, { fd });
    opened.once("error", (error) => process.stderr.write(`${file} cannot be written: ${error.message}\n`));
    return opened;
  }

  function rotate(): void {
    const oldFile = (number: number) => `${file}.${number}`;
    rmSync(oldFile(oldFilesMax), { force: true });
    for (let number = oldFilesMax - 1; number >= 1; number--) renameIfThere(oldFile(number), oldFile(number + 1));
    renameIfThere(file, oldFile(1));
    stream.end();
    stream = open();
  }

  return {
    write(line) {
      // Between two lines, so that none is cut; a line larger than a file gets its own file.
      if (bytes >= bytesMax) rotate();
      const text = `${line}\n`;
      bytes += Buffer.byteLength(text);
      stream.write(text);
    },
    end: () => stream.end(),
  };
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    // An operator may have removed it.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
}
