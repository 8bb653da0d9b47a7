/** What a page shows, as it stands behind `#` in its address. */
export interface Route {
  readonly session?: string | undefined;
  /** The key of a row of the tree. */
  readonly row?: string | undefined;
  readonly tab?: string | undefined;
}

const names = ["session", "row", "tab"] as const;

/** Reads a fragment; what it does not know is left out. */
export function readRoute(fragment: string): Route {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const route: Record<string, string> = {};
  for (const name of names) {
    const value = given.get(name);
    if (value !== null && value !== "" && value.length <= 512) route[name] = value;
  }
  return route;
}

/** The fragment of a route; empty for none. */
export function writeRoute(route: Route): string {
  const given = new URLSearchParams();
  for (const name of names) if (route[name] !== undefined) given.set(name, route[name]);
  const text = given.toString();
  return text === "" ? "" : `#${text}`;
}

/** The token that an address was opened with, and the fragment without it. */
export function takeToken(fragment: string): { readonly token: string | undefined; readonly rest: string } {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const token = given.get("token") ?? undefined;
  given.delete("token");
  const rest = given.toString();
  return { token, rest: rest === "" ? "" : `#${rest}` };
}
