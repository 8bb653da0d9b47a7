import type { LanguageModelV3Message, LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import { blobOf, imagesIn } from "../images/kept-image.ts";
import type { BlobReader, FilePart, ModelMessage, TextPart, ToolOutput } from "./model.ts";

type UserContent = Extract<LanguageModelV3Message, { role: "user" }>["content"];
type ResultOutput = LanguageModelV3ToolResultPart["output"];

/** The bytes of a prompt's files as base64, by digest; undefined for what is kept no more. */
export type PromptBytes = ReadonlyMap<string, string | undefined>;

export const NO_BYTES: PromptBytes = new Map();

/** How files are put into a prompt. */
export interface FileForm {
  /** Interface version 4 tags a file's data with what it is. */
  readonly taggedFiles: boolean;
  readonly bytes: PromptBytes;
}

/** Adds the digests of the bytes that a message names. */
export function addDigests(message: ModelMessage, digests: Set<string>): void {
  if (typeof message.content === "string") return;
  for (const { data } of imagesIn(message)) {
    const digest = blobOf(data);
    if (digest !== undefined) digests.add(digest);
  }
}

/** Reads bytes, one blob after the other. */
export async function readBytes(
  blobs: BlobReader | undefined,
  digests: ReadonlySet<string>,
): Promise<PromptBytes> {
  const bytes = new Map<string, string | undefined>();
  for (const digest of digests) {
    const content = await blobs?.get(digest);
    bytes.set(digest, content && Buffer.from(content).toString("base64"));
  }
  return bytes;
}

/** A text or a file as a provider package takes it. A file whose bytes are gone is named. */
export function textOrFile(part: TextPart | FilePart, { taggedFiles, bytes }: FileForm): UserContent[number] {
  if (part.type === "text") return part as UserContent[number];
  const kept = inline(part.data, bytes);
  if (kept === undefined) return { type: "text", text: gone(part.mediaType) };
  const isUrl = /^https?:\/\//.test(kept);
  const data = isUrl ? new URL(kept) : kept;
  if (!taggedFiles) return { ...part, data } as UserContent[number];
  const tagged = isUrl ? { type: "url", url: data } : { type: "data", data };
  return { ...part, data: tagged } as unknown as UserContent[number];
}

/** A result with images; a provider that takes none in results is told of them. */
export function resultWithImages(
  { value }: Extract<ToolOutput, { type: "content" }>,
  { takesResultImages, taggedFiles, bytes }: FileForm & { readonly takesResultImages: boolean },
): ResultOutput {
  if (!takesResultImages) {
    const text = value.map((part) => (part.type === "text" ? part.text : notShown(part.mediaType)));
    return { type: "text", value: text.join("\n") };
  }
  const parts = value.map((part): unknown => {
    if (part.type === "text") return part;
    const data = inline(part.data, bytes);
    if (data === undefined) return { type: "text", text: gone(part.mediaType) };
    if (taggedFiles) return { type: "file", data: { type: "data", data }, mediaType: part.mediaType };
    return { ...part, data };
  });
  return { type: "content", value: parts } as ResultOutput;
}

function inline(data: string, bytes: PromptBytes): string | undefined {
  const digest = blobOf(data);
  return digest === undefined ? data : bytes.get(digest);
}

function gone(mediaType: string): string {
  return `[${mediaType}: no longer kept]`;
}

function notShown(mediaType: string): string {
  return `[${mediaType}: this provider takes no image in a result]`;
}
