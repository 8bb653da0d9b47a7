/** What marks a roster id as the encoding of another alias. */
export const ROSTER_MARKER = "mk--";

const COMPONENT = /^[A-Za-z_][A-Za-z0-9_-]*$/;
/** One production of an encoded body: two escapes, a code point in hexadecimal, or a literal. */
const PRODUCTION = /__|_c|_x([0-9a-f]{1,6})_|[A-Za-z0-9-]/y;
const GENERATED = /^rt:(.+):(0|[1-9][0-9]*)$/su;

/** An alias made by an identity runtime, `rt:<identity>:<generation>`. */
export interface GeneratedAlias {
  /** The durable identity; may hold `:`. */
  readonly identity: string;
  readonly generation: number;
}

/**
 * The roster id of a public alias: a name that communication layers accept, `[A-Za-z_][A-Za-z0-9_-]*`.
 *
 * Such a name that does not begin with `mk--` stands for itself. Every other string becomes `mk--` and its
 * characters: `_` as `__`, `:` as `_c`, ASCII letters, digits and `-` as they are, the rest as
 * `_x<code point in lower-case hexadecimal>_`. Total, and no two aliases share a roster id.
 */
export function encodeAlias(alias: string): string {
  if (COMPONENT.test(alias) && !alias.startsWith(ROSTER_MARKER)) return alias;
  return ROSTER_MARKER + Array.from(alias, encodeCharacter).join("");
}

/**
 * The public alias of a roster id; `decodeAlias(encodeAlias(s)) === s` for every string.
 * What `encodeAlias` cannot have made, an ill-formed body included, is its own alias.
 */
export function decodeAlias(rosterId: string): string {
  if (!rosterId.startsWith(ROSTER_MARKER)) return rosterId;
  const alias = decodeBody(rosterId.slice(ROSTER_MARKER.length));
  return alias !== undefined && encodeAlias(alias) === rosterId ? alias : rosterId;
}

/** Reads `rt:<identity>:<generation>`; the last segment is the number. Undefined for any other alias. */
export function parseGeneratedAlias(alias: string): GeneratedAlias | undefined {
  const [, identity, digits] = GENERATED.exec(alias) ?? [];
  if (identity === undefined || digits === undefined) return undefined;
  const generation = Number(digits);
  return Number.isSafeInteger(generation) ? { identity, generation } : undefined;
}

/** True for every name in the namespace of generated aliases, whether it is a well-formed one or not. */
export function isGeneratedNamespace(alias: string): boolean {
  return alias.startsWith("rt:");
}

function encodeCharacter(character: string): string {
  if (character === "_") return "__";
  if (character === ":") return "_c";
  if (/^[A-Za-z0-9-]$/.test(character)) return character;
  return `_x${character.codePointAt(0)!.toString(16)}_`;
}

function decodeBody(body: string): string | undefined {
  let alias = "";
  let at = 0;
  while (at < body.length) {
    PRODUCTION.lastIndex = at;
    const found = PRODUCTION.exec(body);
    const character = found === null ? undefined : decodeProduction(found[0], found[1]);
    if (character === undefined) return undefined;
    alias += character;
    at = PRODUCTION.lastIndex;
  }
  return alias;
}

function decodeProduction(text: string, hex: string | undefined): string | undefined {
  if (text === "__") return "_";
  if (text === "_c") return ":";
  if (hex === undefined) return text;
  const codePoint = Number.parseInt(hex, 16);
  return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : undefined;
}
