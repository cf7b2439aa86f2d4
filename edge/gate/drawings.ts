import { type Drawing, drawWith } from "../../shared/draw.ts";

/** What an isolate keeps of a queue's draws: one imported key for each seed. */
export type Drawings = (seed: string) => Drawing;

const DRAWINGS_MAX = 8;

export function createDrawings(): Drawings {
  const drawings = new Map<string, Drawing>();
  return (seed) => {
    const known = drawings.get(seed);
    if (known !== undefined) return known;
    if (drawings.size >= DRAWINGS_MAX) drawings.clear();
    const drawing = drawWith(seed);
    drawings.set(seed, drawing);
    return drawing;
  };
}
