import type { JsonValue } from "@basis/core";
import type { EventData } from "../../events/event-schema.ts";
import { imagesIn, toldImages, type ToldImage } from "../../images/kept-image.ts";
import type { ModelMessage, ToolResultPart } from "../../providers/model.ts";
import { plainOutput } from "../../providers/plain-output.ts";

/** What events tell of a user's message: its words, and which images stand in it. Other parts are told as they are. */
export function toldUser(message: ModelMessage): { readonly text: string; readonly images?: ToldImage[] } {
  const { content } = message;
  if (typeof content === "string") return { text: content };
  const images = toldImages(imagesIn(message));
  const others = content.filter((part) => part.type !== "file" && part.type !== "text");
  const text =
    others.length > 0
      ? JSON.stringify(content)
      : content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, ...(images && { images }) };
}

/** A message in words: images by their name, or their kind. */
export function inWords(message: ModelMessage): string {
  return toldInWords(toldUser(message));
}

/** What an event tells of a message, in words. */
export function toldInWords({
  text,
  images = [],
}: Pick<EventData<"user_message">, "text" | "images">): string {
  return [text, ...images.map(({ media_type: type, name }) => `[${name ?? type}]`)]
    .filter((part) => part !== "")
    .join(" ");
}

/** What events tell of a result: its images apart from the rest. */
export function toldResult({ output }: Pick<ToolResultPart, "output">): {
  readonly output: JsonValue;
  readonly images?: ToldImage[];
} {
  const images =
    output.type === "content"
      ? toldImages(output.value.filter((part) => part.type === "image-data"))
      : undefined;
  return { output: plainOutput(output), ...(images && { images }) };
}
