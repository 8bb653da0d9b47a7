import { useEffect, useState } from "preact/hooks";
import type { Source } from "../stream/source.ts";

/** Draws again after a change of the source, once a frame at most. The answer grows with each. */
export function useSource(source: Source): number {
  const [frame, setFrame] = useState(0);
  useEffect(() => {
    let asked = 0;
    const stop = source.listen(() => {
      if (asked !== 0) return;
      asked = requestAnimationFrame(() => {
        asked = 0;
        setFrame((last) => last + 1);
      });
    });
    setFrame((last) => last + 1);
    return () => {
      stop();
      cancelAnimationFrame(asked);
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
