import { isBasisError, visibleText, type JsonObject } from "@basis/core";
import type { InputCheck } from "../tools/input-check.ts";
import { mcpTool, type McpTool, type ToolServer } from "./mcp-tool.ts";
import type { OfferedTool, ServerLink } from "./server-link.ts";
import { readDefinition, type ToolDefinition } from "./tool-definition.ts";

/** Most characters of all definitions together: they stand in every request. */
const MAX_LIST_CHARS = 1024 * 1024;

/** What reading needs beside the link. */
export interface ToolListReader {
  readonly server: ToolServer & { readonly tools: ReadonlyMap<string, McpTool> };
  readonly compile: (schema: JsonObject) => Promise<InputCheck>;
  readonly signal: AbortSignal;
}

/** A server's tools as they are now, against those it had. */
export interface ToolList {
  /** By the names that a model calls. */
  readonly tools: ReadonlyMap<string, McpTool>;
  /** Two tools with one name, if there are. */
  readonly collision: string | undefined;
  /** Tools that cannot be used, each with its reason. */
  readonly leftOut: readonly string[];
  /** Tools that were there before and are gone or defined otherwise. */
  readonly changed: readonly string[];
}

/** Asks a server for its tools. A tool whose definition is what it was stays the same object. */
export async function readToolList(link: ServerLink, reader: ToolListReader): Promise<ToolList> {
  const { server, compile, signal } = reader;
  const tools = new Map<string, McpTool>();
  const leftOut: string[] = [];
  let collision: string | undefined;
  let chars = 0;
  for (const offered of await link.listTools(signal)) {
    const usable = await usableDefinition(offered, compile);
    if (typeof usable === "string") {
      leftOut.push(`'${visibleText(offered.name, { maxChars: 80 })}': ${usable}`);
      continue;
    }
    chars += usable.description.length + JSON.stringify(usable.inputSchema).length;
    if (chars > MAX_LIST_CHARS) {
      leftOut.push(
        `every tool from '${usable.name}' on: together they are more than ${MAX_LIST_CHARS} characters`,
      );
      break;
    }
    const tool = mcpTool(server, usable);
    const other = tools.get(tool.name);
    if (other !== undefined)
      collision ??= `its tools '${other.definition.name}' and '${usable.name}' would both be '${tool.name}'`;
    tools.set(tool.name, sameAs(server.tools.get(tool.name), tool));
  }
  const changed = [...server.tools].filter(([name, tool]) => tools.get(name) !== tool).map(([name]) => name);
  return { tools, collision, leftOut, changed };
}

/** The definition, if a host can hold calls against it. */
async function usableDefinition(
  offered: OfferedTool,
  compile: ToolListReader["compile"],
): Promise<ToolDefinition | string> {
  const reading = readDefinition(offered);
  if (!reading.ok) return reading.problem;
  const { definition } = reading;
  try {
    await compile(definition.inputSchema);
    if (definition.outputSchema !== undefined) await compile(definition.outputSchema);
    return definition;
  } catch (error) {
    if (!isBasisError(error, "OutputError")) throw error;
    return visibleText(error.message, { maxChars: 200 });
  }
}

function sameAs(before: McpTool | undefined, now: McpTool): McpTool {
  return before?.definition.digest === now.definition.digest ? before : now;
}
