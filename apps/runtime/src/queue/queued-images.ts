import type { BlobStore } from "@mobkit/session";
import { imageOf, type Image } from "../images/image.ts";
import { blobOf, keepImages } from "../images/kept-image.ts";
import { withImages, type PromptInput } from "../images/prompt.ts";
import { secrets } from "../secrets/secrets.ts";
import { QueueError } from "./queue-error.ts";
import type { NewTurn, QueuedImage } from "./queued-turn.ts";

/** Puts images into the store for a turn that is queued next. @throws ImageError `too_many_images`. */
export async function queuedImages(
  images: readonly Image[],
  blobs: BlobStore,
): Promise<readonly QueuedImage[]> {
  const { parts } = await keepImages(images, blobs);
  return parts.map(({ data, filename: name }) => ({
    digest: blobOf(data)!,
    ...(name !== undefined && { name: secrets.redact(name) }),
  }));
}

/** What a queued turn begins with. @throws QueueError `image_gone`. @throws ImageError as `imageOf`. */
export async function promptOf(
  { prompt, images = [] }: Pick<NewTurn, "prompt" | "images">,
  blobs: BlobStore,
): Promise<PromptInput | undefined> {
  if (prompt === undefined) return undefined;
  const shown: Image[] = [];
  for (const { digest, name } of images) {
    const bytes = await blobs.get(digest);
    if (bytes === undefined) throw imageGone(digest, name);
    shown.push(imageOf(bytes, name));
  }
  return withImages(prompt, shown);
}

function imageGone(digest: string, name = digest): QueueError<"image_gone"> {
  const message = `the image ${JSON.stringify(name)} is not in the store any more: queue the turn anew`;
  return new QueueError("image_gone", message, { details: { digest } });
}
