/** What the name of a model whose replies are a scripted file begins with. */
export const SCRIPTED = "scripted:";
/** What the name of a model that plays a recording begins with. */
export const CASSETTE = "cassette:";

/** The name of a model whose answers are a file. */
export type PlayedName = `scripted:${string}` | `cassette:${string}`;

/** True for a model whose answers are a file: no name leads from it to a live call. */
export function isPlayed(name: string | undefined): name is PlayedName {
  return name !== undefined && (name.startsWith(SCRIPTED) || name.startsWith(CASSETTE));
}
