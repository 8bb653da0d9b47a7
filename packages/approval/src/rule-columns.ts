import { canonicalJson, isJsonObject, type JsonObject } from "@basis/core";
import type { OpenedCall } from "./opened-call.ts";
import { commandPatternOf, type FieldPattern, type StoredRule } from "./rule.ts";
import { foldedPattern } from "./rule-match.ts";
import type { RuleLists } from "./rule-rank.ts";
import { hasWildcard } from "./wildcard.ts";

/** Rules by what one text of a call has to be (`=`), begin with (`<`), end with (`>`) or hold (`~`), or which JSON value it is (`:`). */
interface Column {
  readonly rules: Map<string, StoredRule[]>;
  /** The lengths of the beginnings and ends that there are. */
  readonly starts: Set<number>;
  readonly ends: Set<number>;
  /** What texts have to hold: each is looked for. */
  readonly parts: Set<string>;
  /** Those with a pattern for a text, which deny whatever is no text. */
  readonly texts: StoredRule[];
}

/** By field; undefined stands for the whole call as canonical JSON. */
type Columns = Map<string | undefined, Column>;

/** A way to find a rule: whichever call it matches has one of the keys in the field. */
interface Way {
  readonly field: string | undefined;
  readonly keys: readonly string[];
  readonly isText: boolean;
}

/** Rules of one effect that are found by the texts of a call. */
export interface RuleColumns {
  /** Lists of every rule that could match; of every rule for a call that only a look at each can judge. */
  find(opened: OpenedCall): RuleLists;
}

/** To look for a part of a text costs about as much as so many rules that share a beginning. */
const CROWD_OF_PARTS = 16;

/** Sorts rules, each by whichever of its texts the fewest others share. Every list keeps the order of `rules`. */
export function sortIntoColumns(rules: readonly StoredRule[]): RuleColumns {
  const waysOfRules = rules.map((rule) => [rule, waysOf(rule)] as const);
  const shared = new Map<string, number>();
  for (const [, ways] of waysOfRules) {
    for (const name of ways.flatMap(namesOf)) shared.set(name, (shared.get(name) ?? 0) + 1);
  }
  const crowd = (way: Way): number =>
    Math.max(
      way.keys.some((key) => key.startsWith("~")) ? CROWD_OF_PARTS : 0,
      ...namesOf(way).map((name) => shared.get(name)!),
    );
  const columns: Columns = new Map();
  const others: StoredRule[] = [];
  for (const [rule, [first, ...more]] of waysOfRules) {
    if (first === undefined) others.push(rule);
    else {
      const best = more.reduce((left, right) => (crowd(right) < crowd(left) ? right : left), first);
      shelve(columns, best, rule);
    }
  }
  return {
    find: (opened) =>
      columns.size === 0 || hasOneForm(opened) ? [...listsIn(columns, opened), others] : [rules],
  };
}

const namesOf = ({ field, keys }: Way): string[] => keys.map((key) => `${field ?? ""}\n${key}`);

function waysOf(rule: StoredRule): Way[] {
  const { pattern, effect } = rule;
  try {
    if (pattern === undefined || commandPatternOf(rule) !== undefined) return [];
    if (typeof pattern === "string") return textWays(undefined, [pattern]);
    if ("exact" in pattern)
      return [{ field: undefined, keys: [`=${canonicalJson(pattern.exact)}`], isText: true }];
    if (!("fields" in pattern)) return [];
    return Object.entries(pattern.fields).flatMap(([name, field]) => fieldWays(name, field, effect));
  } catch {
    return [];
  }
}

function fieldWays(name: string, field: FieldPattern, effect: StoredRule["effect"]): Way[] {
  if (typeof field === "string") {
    // A denial is met by any reading of the text, one of them without capitals and look-alikes.
    return textWays(name, effect === "allow" ? [field] : [field, foldedPattern(field)]);
  }
  const { equals } = field;
  const key = typeof equals === "string" ? `=${equals}` : `:${canonicalJson(equals)}`;
  return [{ field: name, keys: [key], isText: false }];
}

function textWays(field: string | undefined, patterns: readonly string[]): Way[] {
  const ways = [startOf, endOf, partOf].map((part) => ({
    field,
    keys: [...new Set(patterns.map(part))],
    isText: true,
  }));
  return ways.filter(({ keys }) => keys.every((key) => key === "=" || key.length > 1));
}

const startOf = (pattern: string): string =>
  hasWildcard(pattern) ? `<${pattern.slice(0, pattern.search(/[*?]/))}` : `=${pattern}`;

const endOf = (pattern: string): string =>
  hasWildcard(pattern) ? `>${/[^*?]*$/.exec(pattern)![0]}` : `=${pattern}`;

/** The longest run between wildcards. */
const partOf = (pattern: string): string =>
  hasWildcard(pattern)
    ? `~${pattern.split(/[*?]/).reduce((best, run) => (run.length > best.length ? run : best))}`
    : `=${pattern}`;

function shelve(columns: Columns, { field, keys, isText }: Way, rule: StoredRule): void {
  let column = columns.get(field);
  if (column === undefined) {
    column = { rules: new Map(), starts: new Set(), ends: new Set(), parts: new Set(), texts: [] };
    columns.set(field, column);
  }
  if (isText) column.texts.push(rule);
  for (const key of keys) {
    if (key.startsWith("<")) column.starts.add(key.length - 1);
    if (key.startsWith(">")) column.ends.add(key.length - 1);
    if (key.startsWith("~")) column.parts.add(key.slice(1));
    append(column.rules, key, rule);
  }
}

/** Adds to the list of a key. */
export function append<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function listsIn(columns: Columns, opened: OpenedCall): RuleLists {
  const found = new Set<readonly StoredRule[]>();
  for (const [field, column] of columns) {
    for (const list of listsFor(column, field, opened)) if (list !== undefined) found.add(list);
  }
  return found;
}

/** False for a call in which comparing a field may fail, whichever field a rule was sorted by. */
function hasOneForm(opened: OpenedCall): boolean {
  const { subject } = opened;
  try {
    return (
      isJsonObject(subject) &&
      opened.text() !== "" &&
      Object.values(subject).every((value: unknown) => value !== undefined)
    );
  } catch {
    return false;
  }
}

type Lists = Iterable<readonly StoredRule[] | undefined>;

function listsFor(column: Column, field: string | undefined, opened: OpenedCall): Lists {
  if (field === undefined) return withTexts(column, [opened.text()]);
  const subject = opened.subject as JsonObject;
  if (!Object.hasOwn(subject, field)) return [];
  const value = subject[field]!;
  if (typeof value !== "string") return [column.texts, column.rules.get(`:${canonicalJson(value)}`)];
  const { spelled, lowerCase } = opened.readings(value);
  return withTexts(column, new Set([...spelled, lowerCase]));
}

function* withTexts({ rules, starts, ends, parts }: Column, texts: Iterable<string>): Lists {
  for (const text of texts) {
    yield rules.get(`=${text}`);
    for (const length of starts) if (length <= text.length) yield rules.get(`<${text.slice(0, length)}`);
    for (const length of ends) {
      if (length <= text.length) yield rules.get(`>${text.slice(text.length - length)}`);
    }
    for (const part of parts) if (text.includes(part)) yield rules.get(`~${part}`);
  }
}
