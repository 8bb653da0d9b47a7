import { useEffect, useState } from "preact/hooks";
import { readRoute, writeRoute, type Route } from "../state/route.ts";

/** What the address asks for, and the way to another place. Steps that a person makes can be taken back. */
export function useRoute(): readonly [Route, (next: Route) => void] {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(readRoute(location.hash));
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  const go = (next: Route): void => {
    const isElsewhere = next.session !== route.session;
    const url = writeRoute(next) || location.pathname + location.search;
    if (isElsewhere) history.pushState(null, "", url);
    else history.replaceState(null, "", url);
    setRoute(next);
  };
  return [route, go];
}
