import { childPointer, isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import type { Environment } from "../config/data-dir.ts";
import { readSettingsFile, shapeProblems, type SettingsProblem } from "../config/settings-file.ts";
import { whyWithheld } from "../config/withheld-variable.ts";
import { inputCheck } from "../tools/input-check.ts";
import { COMMAND_TIMEOUT_MS } from "../tools/run-tool.ts";
import type { Tool } from "../tools/tool.ts";
import { readWord, valuesOf, type TemplateWord } from "./argv-template.ts";

/** The file's name, from the workspace's root. */
export const TOOLS_FILE = ".basis/tools.json";

/** One tool of `.basis/tools.json`, its defaults filled in. */
export interface DeclaredSettings {
  readonly name: string;
  readonly description: string;
  readonly argv: readonly string[];
  /** Closed: what it does not name is refused. */
  readonly input: JsonObject;
  readonly level: "process" | "external";
  readonly timeoutMs: number;
  /** Names of variables that the program is given. */
  readonly env: readonly string[];
  readonly files: readonly string[];
}

/** A `.basis/tools.json` that was read and found right. */
export interface ToolsFile {
  readonly path: string;
  readonly tools: readonly DeclaredSettings[];
}

const MAX_TIMEOUT_MS = 3_600_000;
const TOOL_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const taken: ReadonlySet<string> = new Set(["read", "list", "search", "write", "run", "spawn", "skill"]);
const takenPrefixes: readonly string[] = ["mcp__", "basis_"];
const scalars: ReadonlySet<JsonValue | undefined> = new Set(["string", "number", "integer", "boolean"]);

const texts: JsonObject = { type: "array", items: { type: "string", minLength: 1 } };

const fileSchema: JsonObject = {
  type: "object",
  required: ["schema", "tools"],
  additionalProperties: false,
  properties: {
    schema: { const: 1 },
    tools: { type: "array", items: { $ref: "#/$defs/tool" } },
  },
  $defs: {
    tool: {
      type: "object",
      required: ["name", "description", "argv"],
      additionalProperties: false,
      properties: {
        name: { type: "string" },
        description: { type: "string", minLength: 1 },
        argv: { type: "array", items: { type: "string" } },
        input: { type: "object" },
        level: { enum: ["process", "external"] },
        timeout_ms: { type: "integer", minimum: 1 },
        env: texts,
        files: texts,
      },
    },
  },
};

/**
 * Reads `.basis/tools.json`; nothing is started. Undefined when there is none.
 *
 * @throws StartError `workspace` with file and line of everything that is wrong.
 */
export async function readToolsFile(root: string, env: Environment): Promise<ToolsFile | undefined> {
  const file = await readSettingsFile(root, TOOLS_FILE);
  if (file === undefined) return undefined;
  file.refuse(shapeProblems(fileSchema, file.value));
  const entries = (file.value as { tools: readonly JsonObject[] }).tools;
  file.refuse(entries.flatMap((entry, index) => entryProblems(entry, { index, entries, env })));
  const tools = entries.map(withDefaults);
  const schemas = await Promise.all(tools.map(schemaProblem));
  file.refuse(
    schemas.flatMap((message, index) =>
      message === undefined ? [] : [{ pointer: `/tools/${index}/input`, message }],
    ),
  );
  return { path: file.path, tools };
}

interface EntryPlace {
  readonly index: number;
  readonly entries: readonly JsonObject[];
  readonly env: Environment;
}

function entryProblems(entry: JsonObject, { index, entries, env }: EntryPlace): readonly SettingsProblem[] {
  const at = `/tools/${index}`;
  const isRepeated = entries.findIndex((other) => other["name"] === entry["name"]) < index;
  return [
    ...nameProblems(entry["name"] as string, isRepeated).map((message) => ({
      pointer: `${at}/name`,
      message,
    })),
    ...argvProblems(entry, at),
    ...variableProblems(entry, at, env),
    ...fileProblems(entry, at),
    ...timeProblems(entry, at),
  ];
}

function nameProblems(name: string, isRepeated: boolean): readonly string[] {
  if (!TOOL_NAME.test(name))
    return ["a tool's name begins with a letter and has at most 64 letters, digits, _ and -"];
  if (taken.has(name)) return [`"${name}" is a tool of the host's; choose another name`];
  if (takenPrefixes.some((prefix) => name.startsWith(prefix)))
    return [`names of tools do not begin with ${takenPrefixes.join(" or ")}; choose another name`];
  return isRepeated ? [`"${name}" is declared twice`] : [];
}

function argvProblems(entry: JsonObject, at: string): readonly SettingsProblem[] {
  const argv = entry["argv"] as readonly string[];
  const properties = propertiesOf(entry);
  const used = new Set<string>();
  const problems = argv.flatMap((text, index) => {
    const pointer = `${at}/argv/${index}`;
    const reading = readWord(text);
    if (!reading.ok) return [{ pointer, message: reading.problem }];
    for (const name of valuesOf(reading.word)) used.add(name);
    return wordProblems(reading.word, { text, index, properties }).map((message) => ({ pointer, message }));
  });
  if (argv.length === 0) problems.push({ pointer: `${at}/argv`, message: "must begin with a program" });
  for (const name of Object.keys(properties)) {
    if (used.has(name)) continue;
    const pointer = `${at}${childPointer("/input/properties", name)}`;
    problems.push({ pointer, message: `no word of argv takes "${name}"; write {${name}} where it goes` });
  }
  return problems;
}

interface WordPlace {
  readonly text: string;
  readonly index: number;
  readonly properties: JsonObject;
}

function wordProblems(word: TemplateWord, { text, index, properties }: WordPlace): readonly string[] {
  const names = valuesOf(word);
  if (text.includes("\0")) return ["must hold no NUL character"];
  if (index === 0) return text !== "" && names.length === 0 ? [] : ["the program itself must be written out"];
  return names.flatMap((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined || !isJsonObject(schema))
      return [
        `"${name}" is no property of this tool's input; known are ${Object.keys(properties).join(", ") || "none"}`,
      ];
    return typeProblems(name, schema, word.spread === name);
  });
}

function typeProblems(name: string, { type, items }: JsonObject, isSpread: boolean): readonly string[] {
  if (!isSpread)
    return scalars.has(type) ? [] : [`"${name}" must have the type string, number, integer or boolean`];
  const itemType = items !== undefined && isJsonObject(items) ? items["type"] : undefined;
  return type === "array" && scalars.has(itemType)
    ? []
    : [`"${name}" must be an array whose items have the type string, number, integer or boolean`];
}

function variableProblems(entry: JsonObject, at: string, env: Environment): readonly SettingsProblem[] {
  return textsOf(entry["env"]).flatMap((name, index) => {
    const pointer = `${at}/env/${index}`;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return [{ pointer, message: `"${name}" is no variable's name` }];
    const why = whyWithheld(name, env);
    if (why === undefined) return [];
    return [
      {
        pointer,
        message: `"${name}" is ${why}, which no tool gets; if it must be, export it under another name`,
      },
    ];
  });
}

function fileProblems(entry: JsonObject, at: string): readonly SettingsProblem[] {
  return textsOf(entry["files"]).flatMap((path, index) => {
    const parts = path.split(/[/\\]/);
    const isInside = parts[0] !== "" && !/^[A-Za-z]:/.test(path) && !parts.includes("..");
    const message = "must be a relative path inside the workspace";
    return isInside ? [] : [{ pointer: `${at}/files/${index}`, message }];
  });
}

function timeProblems(entry: JsonObject, at: string): readonly SettingsProblem[] {
  if (Number(entry["timeout_ms"] ?? 1) <= MAX_TIMEOUT_MS) return [];
  return [{ pointer: `${at}/timeout_ms`, message: `must be ${MAX_TIMEOUT_MS} or less` }];
}

function propertiesOf(entry: JsonObject): JsonObject {
  const { input } = entry;
  const properties = input !== undefined && isJsonObject(input) ? input["properties"] : undefined;
  return properties !== undefined && isJsonObject(properties) ? properties : {};
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function withDefaults(entry: JsonObject): DeclaredSettings {
  const { timeout_ms: timeoutMs, ...given } = entry as unknown as Partial<DeclaredSettings> & {
    readonly timeout_ms?: number;
  };
  const { name = "", description = "", argv = [], level = "process", env = [], files = [], input } = given;
  return {
    name,
    description,
    argv,
    input: { ...input, type: "object", additionalProperties: false },
    level,
    timeoutMs: timeoutMs ?? COMMAND_TIMEOUT_MS,
    env,
    files,
  };
}

async function schemaProblem({ input }: DeclaredSettings): Promise<string | undefined> {
  try {
    await inputCheck({ inputSchema: input } as Tool);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
