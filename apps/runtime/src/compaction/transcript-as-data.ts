import type { ModelMessage, ToolOutput } from "../providers/model.ts";

/** Longest text of one part; of a longer one its beginning and its end are told. */
const MAX_PART = 6_000;

/**
 * A message as one line of JSON. Line ends and `<` are escaped, so that nothing in it can end the transcript that it stands in
 * or look like a part of the request around it. Thoughts are left out.
 */
export function messageAsData(position: number, message: ModelMessage): string {
  const line = JSON.stringify({ message: position, role: message.role, said: partsOf(message) });
  return line.replaceAll("<", String.raw`\u003c`);
}

type Part = Exclude<ModelMessage["content"], string>[number];

function partsOf({ content }: ModelMessage): unknown {
  if (typeof content === "string") return cut(content);
  const parts: readonly Part[] = content;
  return parts.flatMap((part): readonly unknown[] => {
    switch (part.type) {
      case "text":
        return [cut(part.text)];
      case "reasoning":
        return [];
      case "tool-call":
        return [{ calls: part.toolName, input: cut(JSON.stringify(part.input) ?? "") }];
      case "tool-result":
        return [{ result_of: part.toolName, ...outputOf(part.output) }];
      case "file":
        return [`[a file of type ${part.mediaType}]`];
      default:
        return [cut(JSON.stringify(part) ?? "")]; // an imported transcript may have parts that this host makes none of
    }
  });
}

function outputOf({ type, value }: ToolOutput): { readonly failed?: true; readonly output: string } {
  const output = cut(typeof value === "string" ? value : JSON.stringify(value));
  return type.startsWith("error") ? { failed: true, output } : { output };
}

function cut(text: string): string {
  if (text.length <= MAX_PART) return text;
  const half = MAX_PART / 2;
  return `${text.slice(0, half)} […${text.length - MAX_PART} characters left out…] ${text.slice(-half)}`;
}
