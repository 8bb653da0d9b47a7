import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { InputPiece, ToolCallPart } from "./model.ts";

/** The arguments of the calls of an answer while they are still coming. */
export class CallInputs {
  readonly #open = new Map<string, { readonly toolName: string; input: string }>();

  /** Takes one part; answers the piece of arguments that it is, if it is one. */
  take(part: LanguageModelV3StreamPart): InputPiece | undefined {
    if (part.type === "tool-input-start") {
      this.#open.set(part.id, { toolName: part.toolName, input: "" });
    } else if (part.type === "tool-call") {
      this.#open.delete(part.toolCallId);
    } else if (part.type === "tool-input-delta") {
      const call = this.#open.get(part.id);
      if (call === undefined || part.delta === "") return undefined;
      call.input += part.delta;
      return { toolCallId: part.id, toolName: call.toolName, input: part.delta };
    }
    return undefined;
  }

  /** A call as far as it came. Its input is the text itself, which is no whole document. */
  unfinished(toolCallId: string): ToolCallPart {
    const { toolName = "", input = "" } = this.#open.get(toolCallId) ?? {};
    return { type: "tool-call", toolCallId, toolName, input };
  }
}
