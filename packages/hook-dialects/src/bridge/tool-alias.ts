import type { JsonObject, JsonValue } from "@basis/core";

/** What a tool does, whoever's it is. */
export type ToolKind = "shell" | "read" | "write" | "edit" | "search" | "list" | "fetch" | "agent";

/** How a host's tool is shown to hooks that know another host's. */
export interface ToolAlias {
  readonly kind: ToolKind;
  /**
   * Claude's name of a field and the host's: `{ file_path: "path" }`. A field that is not named here keeps its name.
   * A list of words shown as `command` is quoted for a shell; a rewrite of it comes back as `["/bin/sh", "-c", text]`.
   */
  readonly fields?: Readonly<Record<string, string>> | undefined;
}

/** A vendor's names: of a kind of tool, of its fields where they differ from Claude's, and of a server's tools. */
export interface ToolNames {
  readonly kinds: Readonly<Partial<Record<ToolKind, string>>>;
  readonly fields?: Readonly<Partial<Record<ToolKind, Readonly<Record<string, string>>>>>;
  /** Further names by which matchers know a kind. */
  readonly also?: Readonly<Partial<Record<ToolKind, readonly string[]>>>;
  serverTool(server: string, tool: string): string;
}

/** The tools of `@basis/runtime`. */
export const RUNTIME_TOOLS: Readonly<Record<string, ToolAlias>> = Object.freeze({
  run: { kind: "shell", fields: { command: "argv" } },
  read: { kind: "read", fields: { file_path: "path" } },
  write: { kind: "write", fields: { file_path: "path" } },
  search: { kind: "search", fields: { pattern: "text" } },
  list: { kind: "list" },
});

/** Fields that hold a path; hooks of other tools get absolute ones. */
const PATHS: ReadonlySet<string> = new Set(["file_path", "path", "notebook_path", "dir_path"]);

/** A host's tool in a vendor's words, and the way back. */
export interface ToolView {
  readonly name: string;
  readonly names: readonly string[];
  readonly kind: ToolKind | "server" | undefined;
  readonly server: ServerTool | undefined;
  show(input: JsonValue): JsonValue;
  /** A rewrite in the host's words. What the hook left as it was shown comes back as it was. */
  restore(rewritten: JsonObject, input: JsonValue): JsonObject;
}

/** A tool of a server, by the server's own name for it. */
export interface ServerTool {
  readonly name: string;
  readonly tool: string;
}

/** Which tool is meant, and where. */
export interface ToolPlace {
  readonly toolName: string;
  /** `mcp:<server>` for a server's tool. */
  readonly toolSource: string | undefined;
  readonly workspace: string;
}

/** How a vendor sees a host's tool. A tool without an alias keeps its name and fields. */
export function viewTool(
  names: ToolNames,
  aliases: Readonly<Record<string, ToolAlias>>,
  place: ToolPlace,
): ToolView {
  const { toolName } = place;
  const alias = Object.hasOwn(aliases, toolName) ? aliases[toolName] : undefined;
  const server = serverOf(place);
  const name =
    server === undefined ? alias && names.kinds[alias.kind] : names.serverTool(server.name, server.tool);
  const fields = server === undefined && alias ? fieldPairs(names, alias) : [];
  const shown = name ?? toolName;
  return {
    name: shown,
    names: [...new Set([shown, ...(server ? cleanName(names, server) : aliasNames(names, alias))])],
    kind: server === undefined ? alias?.kind : "server",
    server,
    show: (input) => show(input, fields, place.workspace),
    restore: (rewritten, input) => restore(rewritten, input, { fields, workspace: place.workspace }),
  };
}

function aliasNames({ also }: ToolNames, alias: ToolAlias | undefined): readonly string[] {
  return (alias && also?.[alias.kind]) ?? [];
}

/** Vendors spell other characters than these as `_`, and matchers with them. */
function cleanName(names: ToolNames, { name, tool }: ServerTool): readonly string[] {
  const clean = (text: string): string => text.replaceAll(/[^A-Za-z0-9_-]/g, "_");
  return [names.serverTool(clean(name), clean(tool))];
}

/** The host's field and the vendor's. */
type FieldPair = readonly [own: string, theirs: string];

function fieldPairs(names: ToolNames, { kind, fields = {} }: ToolAlias): readonly FieldPair[] {
  const spelled = names.fields?.[kind] ?? {};
  const canonical = new Set([...Object.keys(fields), ...Object.keys(spelled)]);
  return [...canonical].map((field) => [fields[field] ?? field, spelled[field] ?? field]);
}

function serverOf({ toolName, toolSource }: ToolPlace): ServerTool | undefined {
  const name = toolSource?.startsWith("mcp:") === true ? toolSource.slice("mcp:".length) : undefined;
  if (name === undefined) return undefined;
  const prefix = `mcp__${name}__`;
  return { name, tool: toolName.startsWith(prefix) ? toolName.slice(prefix.length) : toolName };
}

function show(input: JsonValue, fields: readonly FieldPair[], workspace: string): JsonValue {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return input;
  const theirs = new Map(fields);
  const shown = new Map<string, JsonValue>();
  for (const [key, value] of Object.entries(input as JsonObject)) {
    const name = theirs.get(key) ?? key;
    // Beside the host's own field, one that has the vendor's name is nothing that the tool reads.
    const isOverruled = fields.some(
      ([own, their]) => their === key && own !== key && Object.hasOwn(input, own),
    );
    if (!isOverruled || theirs.has(key)) shown.set(name, showValue(name, value, workspace));
  }
  return Object.fromEntries(shown);
}

function showValue(name: string, value: JsonValue, workspace: string): JsonValue {
  if (name === "command" && isWords(value)) return value.map(quoted).join(" ");
  if (!PATHS.has(name) || typeof value !== "string" || /^(?:\\|[A-Za-z]:)/.test(value)) return value;
  return straight(value.startsWith("/") ? value : `${workspace}/${value}`);
}

/** Where an absolute path leads, read lexically: a hook that looks at how it begins is not led astray by `..`. */
function straight(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "." && segment !== "") kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

function restore(
  rewritten: JsonObject,
  input: JsonValue,
  { fields, workspace }: { readonly fields: readonly FieldPair[]; readonly workspace: string },
): JsonObject {
  const own = new Map(fields.map(([ours, theirs]) => [theirs, ours]));
  const was =
    typeof input === "object" && input !== null && !Array.isArray(input) ? (input as JsonObject) : {};
  const entries = Object.entries(rewritten).map(([key, value]) => {
    const name = own.get(key) ?? key;
    const before = Object.hasOwn(was, name) ? was[name]! : undefined;
    if (before === undefined) return [name, value] as const;
    const isSame = JSON.stringify(showValue(key, before, workspace)) === JSON.stringify(value);
    if (isSame) return [name, before] as const;
    return [name, isWords(before) && typeof value === "string" ? ["/bin/sh", "-c", value] : value] as const;
  });
  return Object.fromEntries(entries);
}

function isWords(value: JsonValue): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
