import type { ContentBlock } from "@agentclientprotocol/sdk";
import { RpcError } from "../rpc/rpc-error.ts";

/**
 * A prompt as the model reads it: texts and links as they stand, what is embedded behind them, each under its address.
 * Undefined for a prompt without content: the session goes on where it waits.
 *
 * @throws RpcError `invalid_params` for images, audio and binary resources, naming the block.
 */
export function promptText(blocks: readonly ContentBlock[]): string | undefined {
  if (blocks.length === 0) return undefined;
  const said: string[] = [];
  const embedded: string[] = [];
  blocks.forEach((block, index) => {
    const text = textOf(block, index);
    (block.type === "resource" ? embedded : said).push(text);
  });
  const whole = [said.join(""), ...embedded].filter((text) => text !== "").join("\n\n");
  if (whole.trim() === "")
    throw new RpcError("invalid_params", "the prompt holds no text", { kind: "empty_prompt" });
  return whole;
}

function textOf(block: ContentBlock, index: number): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[@${block.name}](${block.uri})`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return embeddedText(resource.uri, resource.text);
      throw unsupported("a binary resource", index);
    }
    default:
      throw unsupported(block.type, index);
  }
}

/** The text cannot close its own frame. */
function embeddedText(uri: string, text: string): string {
  const body = text.replaceAll(/<\/resource\s*>/gi, "<\\/resource>");
  return `<resource uri=${JSON.stringify(uri)}>\n${body}\n</resource>`;
}

function unsupported(what: string, index: number): RpcError {
  return new RpcError(
    "invalid_params",
    `prompt.${index}: ${what} is not taken: send text, a resource_link or a resource with text`,
    { kind: "unsupported_content", path: `prompt.${index}` },
  );
}
