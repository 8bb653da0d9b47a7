import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { visibleText } from "@basis/approval";
import { isJsonObject, type JsonValue } from "@basis/core";
import type { ToolEffect } from "../tools/tool.ts";
import { isInside } from "../tools/workspace-path.ts";

/** A call as an editor shows it. */
export interface ToolView {
  readonly title: string;
  readonly kind: ToolKind;
  readonly locations: ToolCallLocation[];
}

/** What a call's view is made of. */
export interface ViewedCall {
  readonly name: string;
  readonly input: JsonValue;
  /** Undefined for a tool that is gone, or of which nobody can tell. */
  readonly effect: ToolEffect | undefined;
  /** The workspace's real root. */
  readonly root: string;
}

const MAX_TITLE = 200;
const MAX_TEXT = 64_000;

/** The words, the kind and the places of a call. Nothing of it is believed: a title cannot steer who reads it. */
export function viewTool(call: ViewedCall): ToolView {
  const subject = subjectOf(call.input);
  const title = subject === undefined ? call.name : `${call.name} ${subject}`;
  return { title: shortened(title), kind: kindOf(call), locations: locationsOf(call) };
}

/** A result as an editor shows it. */
export function textContent(output: JsonValue): ToolCallContent[] {
  const text = typeof output === "string" ? output : JSON.stringify(output, null, 2);
  const shown =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} more]` : text;
  return [{ type: "content", content: { type: "text", text: shown } }];
}

/** The path that a call of a file tool names, absolute; undefined outside the workspace. */
export function pathOf({ input, root }: Pick<ViewedCall, "input" | "root">): string | undefined {
  const path = isJsonObject(input) ? input["path"] : undefined;
  if (typeof path !== "string" || path.includes("\0") || (isAbsolute(path) && !isInside(root, resolve(path))))
    return undefined;
  const absolute = resolve(root, path);
  return isInside(root, absolute) ? absolute : undefined;
}

function kindOf({ name, effect }: ViewedCall): ToolKind {
  if (name === "search") return "search";
  switch (effect) {
    case "read":
      return "read";
    case "write":
      return "edit";
    case "command":
      return "execute";
    default:
      return "other";
  }
}

function locationsOf(call: ViewedCall): ToolCallLocation[] {
  if (call.effect !== "read" && call.effect !== "write") return [];
  const path = pathOf(call);
  if (path === undefined) return [];
  const from = isJsonObject(call.input) ? call.input["from"] : undefined;
  return [typeof from === "number" && Number.isInteger(from) && from > 0 ? { path, line: from } : { path }];
}

/** What a call is about, in the words of its own input. */
function subjectOf(input: JsonValue): string | undefined {
  if (!isJsonObject(input)) return undefined;
  const { argv } = input;
  if (Array.isArray(argv)) return argv.map(String).join(" ");
  const named = ["path", "pattern", "input"].map((key) => input[key]);
  return named.find((value): value is string => typeof value === "string" && value !== "");
}

function shortened(text: string): string {
  const shown = visibleText(text.length > 4 * MAX_TITLE ? text.slice(0, 4 * MAX_TITLE) : text);
  return shown.length > MAX_TITLE ? `${shown.slice(0, MAX_TITLE - 1)}…` : shown;
}
