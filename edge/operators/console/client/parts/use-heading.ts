import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

let isFirst = true;

/** Names the page, and leads a screen reader to its beginning when the operator has gone from one view to another. */
export function useHeading(title: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  // A title that changes while one is there must not move the focus.
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Sluice console`;
  }, [title]);
  return heading;
}
