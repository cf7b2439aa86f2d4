import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Api } from "../api.ts";

/** Shared by all views. */
export type Console = {
  readonly api: Api;
  /** Tells the operator what was done, and how to take it back. */
  readonly say: (text: string, undo?: () => Promise<void>) => void;
};

export const ConsoleContext = createContext<Console | undefined>(undefined);

export function useConsole(): Console {
  const value = useContext(ConsoleContext);
  if (value === undefined) throw new Error("there is no console around this view");
  return value;
}
