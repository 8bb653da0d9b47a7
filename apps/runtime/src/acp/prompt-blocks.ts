import type { ContentBlock } from "@agentclientprotocol/sdk";
import { ImageError, imageOfBase64, refuseTooMany, type Image } from "../images/image.ts";
import { withImages, type PromptInput } from "../images/prompt.ts";
import { RpcError } from "../rpc/rpc-error.ts";

/**
 * A prompt as the model is shown it: texts and links as they stand, what is embedded behind them, each under its address, then
 * the images. Undefined for a prompt without content: the session goes on where it waits.
 *
 * @throws RpcError `invalid_params` for audio, other binary resources and what is no image, naming the block.
 */
export function readPrompt(blocks: readonly ContentBlock[]): PromptInput | undefined {
  if (blocks.length === 0) return undefined;
  const said: string[] = [];
  const embedded: string[] = [];
  const images: Image[] = [];
  blocks.forEach((block, index) => {
    const content = readBlock(block, index);
    if (typeof content !== "string") images.push(content);
    else (block.type === "resource" ? embedded : said).push(content);
  });
  const whole = [said.join(""), ...embedded].filter((text) => text !== "").join("\n\n");
  if (whole.trim() === "" && images.length === 0)
    throw new RpcError("invalid_params", "the prompt holds no text", { kind: "empty_prompt" });
  refused(() => refuseTooMany(images.length), "prompt");
  return withImages(whole, images);
}

function readBlock(block: ContentBlock, index: number): string | Image {
  const path = `prompt.${index}`;
  switch (block.type) {
    case "text":
      return block.text;
    case "resource_link":
      return `[@${block.name}](${block.uri})`;
    case "image":
      return refused(() => imageOfBase64(block.data), path);
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return embeddedText(resource.uri, resource.text);
      if (resource.mimeType?.startsWith("image/") === true)
        return refused(() => imageOfBase64(resource.blob, nameIn(resource.uri)), path);
      throw unsupported("a binary resource", path);
    }
    default:
      throw unsupported(block.type, path);
  }
}

/** The text cannot close its own frame. */
function embeddedText(uri: string, text: string): string {
  const body = text.replaceAll(/<\/resource\s*>/gi, "<\\/resource>");
  return `<resource uri=${JSON.stringify(uri)}>\n${body}\n</resource>`;
}

function nameIn(uri: string): string | undefined {
  const name = /[^/\\?#]+(?=[?#]|$)/.exec(uri)?.[0];
  return name === undefined || name === "" ? undefined : name.slice(0, 200);
}

function refused<T>(read: () => T, path: string): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ImageError)) throw error;
    throw new RpcError("invalid_params", `${path}: ${error.message}`, { kind: error.code, path });
  }
}

function unsupported(what: string, path: string): RpcError {
  return new RpcError(
    "invalid_params",
    `${path}: ${what} is not taken: send text, an image, a resource_link or a resource with text`,
    { kind: "unsupported_content", path },
  );
}
