import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Source } from "../stream/source.ts";

/** How much longer than the last drawing took the next one waits, so that the page stays free for its reader. */
const BREATH = 3;
const MAX_BREATH_MS = 500;

/** Draws again after a change of the source: once a frame at most, and less often where drawing takes long. */
export function useSource(source: Source): number {
  const [frame, setFrame] = useState(0);
  const begun = useRef(0);
  const rest = useRef(0);
  useLayoutEffect(() => {
    if (begun.current === 0) return;
    rest.current = Math.min(MAX_BREATH_MS, (performance.now() - begun.current) * BREATH);
    begun.current = 0;
  }, [frame]);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      timer = undefined;
      begun.current = performance.now();
      setFrame((last) => last + 1);
    };
    const stop = source.listen(() => {
      timer ??= setTimeout(() => requestAnimationFrame(draw), rest.current);
    });
    draw();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [source]);
  return frame;
}

/** The time, told every second while something goes on. */
export function useNow(isGoing: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isGoing) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [isGoing]);
  return isGoing ? Math.max(now, Date.now()) : now;
}
