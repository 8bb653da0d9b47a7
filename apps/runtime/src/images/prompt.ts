import type { Image } from "./image.ts";

/** What a person says with images. */
export interface Prompt {
  /** May be empty where there is an image. */
  readonly text: string;
  readonly images: readonly Image[];
}

/** What a turn begins with. */
export type PromptInput = string | Prompt;

/** What of it is said in words. */
export function wordsOf(prompt: PromptInput): string {
  return typeof prompt === "string" ? prompt : prompt.text;
}

/** The prompt with these images, if any. */
export function withImages(text: string, images: readonly Image[]): PromptInput {
  return images.length === 0 ? text : { text, images };
}
