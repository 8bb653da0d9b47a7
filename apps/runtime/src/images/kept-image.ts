import type { BlobStore } from "@mobkit/session";
import type { Later } from "../events/event-log.ts";
import type { EventData } from "../events/event-schema.ts";
import type {
  AssistantMessage,
  FilePart,
  ImageDataPart,
  ModelMessage,
  ToolOutput,
  UserMessage,
} from "../providers/model.ts";
import { refuseTooMany, type Image } from "./image.ts";
import type { Prompt } from "./prompt.ts";

type Part = Exclude<ModelMessage["content"], string>[number];

/** What stands in a message in place of bytes that the store keeps as a blob. */
const SCHEME = "blob:";

/** An image of a message, as events tell it. */
export type ToldImage = NonNullable<EventData<"user_message">["images"]>[number];

/** The digest of the blob that a part's bytes are in; undefined where they stand in it. An imported part may have no data. */
export function blobOf(data: string | undefined): string | undefined {
  return typeof data === "string" && data.startsWith(SCHEME) ? data.slice(SCHEME.length) : undefined;
}

/** Images that are in the store now. */
export interface KeptImages {
  readonly parts: readonly FilePart[];
  readonly digests: readonly string[];
}

/** Puts images into the store; whoever refers to them names their digests in the same write. @throws ImageError `too_many_images`. */
export async function keepImages(images: readonly Image[], blobs: BlobStore): Promise<KeptImages> {
  refuseTooMany(images.length);
  const parts: FilePart[] = [];
  const digests = new Set<string>();
  for (const { bytes, mediaType, name } of images) {
    const { digest } = await blobs.put(bytes);
    digests.add(digest);
    parts.push({
      type: "file",
      data: SCHEME + digest,
      mediaType,
      ...(name !== undefined && { filename: name }),
    });
  }
  return { parts, digests: [...digests] };
}

/** A model's message whose files are in the store, the same where it brought none. */
export function keepFiles(message: AssistantMessage, blobs: BlobStore): Later<KeptFiles> {
  const { content } = message;
  return typeof content === "string" || !content.some(isInline)
    ? { message, digests: NO_DIGESTS }
    : keepInline(message, content, blobs);
}

/** A message and the blobs that its files are in. */
interface KeptFiles {
  readonly message: AssistantMessage;
  readonly digests: readonly string[];
}

const NO_DIGESTS: readonly string[] = [];

async function keepInline(
  message: AssistantMessage,
  content: Exclude<AssistantMessage["content"], string>,
  blobs: BlobStore,
): Promise<KeptFiles> {
  const digests = new Set<string>();
  const kept: (typeof content)[number][] = [];
  for (const part of content) {
    if (!isInline(part)) {
      kept.push(part);
      continue;
    }
    const { digest } = await blobs.put(Buffer.from(part.data, "base64"));
    digests.add(digest);
    kept.push({ ...part, data: SCHEME + digest });
  }
  return { message: { ...message, content: kept }, digests: [...digests] };
}

function isInline(part: { readonly type: string }): part is FilePart {
  return part.type === "file" && !/^(?:https?|blob):/.test((part as FilePart).data);
}

/** A prompt as a message whose images are in the store. */
export async function keepPrompt(
  { text, images }: Prompt,
  blobs: BlobStore,
): Promise<{ readonly content: UserMessage["content"]; readonly digests: readonly string[] }> {
  const { parts, digests } = await keepImages(images, blobs);
  return { content: [...(text === "" ? [] : [{ type: "text" as const, text }]), ...parts], digests };
}

/** A result with images, the text first. */
export function withKeptImages(text: string, { parts }: KeptImages): ToolOutput {
  const shown = parts.map(({ data, mediaType }): ImageDataPart => ({ type: "image-data", data, mediaType }));
  return { type: "content", value: [{ type: "text", text }, ...shown] };
}

/** The parts of a message whose bytes may be in the store. */
export function imagesIn({ content }: ModelMessage): readonly (FilePart | ImageDataPart)[] {
  if (typeof content === "string") return [];
  const parts: readonly Part[] = content;
  return parts.flatMap((part): readonly (FilePart | ImageDataPart)[] => {
    if (part.type === "file") return [part];
    if (part.type !== "tool-result" || part.output?.type !== "content") return [];
    return part.output.value.filter((each) => each.type === "image-data");
  });
}

/** The images of a message as events tell them; undefined without any. */
export function toldImages(parts: readonly (FilePart | ImageDataPart)[]): ToldImage[] | undefined {
  if (parts.length === 0) return undefined;
  return parts.map((part) => ({
    media_type: part.mediaType,
    digest: blobOf(part.data) ?? "",
    ...("filename" in part && part.filename !== undefined && { name: part.filename }),
  }));
}
