import { BasisError } from "@basis/core";
import { secrets } from "../secrets/secrets.ts";
import { imageTypeOf, isCutOff, type ImageType } from "./image-type.ts";

/** An image for a model: its type is that of its bytes, whatever somebody called it. */
export interface Image {
  readonly bytes: Uint8Array;
  readonly mediaType: ImageType;
  /** What it is called; nothing is opened by it. */
  readonly name?: string;
}

/** Most bytes of one image: what each of the providers takes. */
export const MAX_IMAGE_BYTES: number = 5 * 1024 * 1024;

/** Most images of one message. */
export const MAX_IMAGES: number = 20;

/** What is wrong with an image. */
export type ImageErrorCode =
  | "image_unknown"
  | "image_cut_off"
  | "image_too_large"
  | "too_many_images"
  | "image_not_base64"
  | "image_holds_secret";

/** Images' one error class. */
export class ImageError extends BasisError<ImageErrorCode> {
  override readonly name: string = "ImageError";
}

/**
 * An image from its bytes. One in whose bytes a registered secret stands is none: nothing could be taken out of it.
 *
 * @throws ImageError `image_unknown`, `image_cut_off`, `image_too_large`, `image_holds_secret`.
 */
export function imageOf(bytes: Uint8Array, name?: string): Image {
  const what = name === undefined ? "the image" : `'${name}'`;
  if (bytes.byteLength > MAX_IMAGE_BYTES)
    throw new ImageError(
      "image_too_large",
      `${what} has ${bytes.byteLength} bytes; make it smaller: at most ${MAX_IMAGE_BYTES}`,
      { details: { bytes: bytes.byteLength, maxBytes: MAX_IMAGE_BYTES } },
    );
  const mediaType = imageTypeOf(bytes);
  if (mediaType === undefined)
    throw new ImageError(
      "image_unknown",
      `${what} is no PNG, JPEG, GIF or WebP: its first bytes are of none`,
    );
  if (isCutOff(bytes, mediaType))
    throw new ImageError(
      "image_cut_off",
      `${what} is cut off: its ${mediaType} has no end; providers refuse it`,
    );
  if (holdsSecret(bytes))
    throw new ImageError(
      "image_holds_secret",
      `${what} has a registered secret among its bytes; leave it out`,
    );
  return { bytes, mediaType, ...(name !== undefined && { name }) };
}

/** @throws ImageError as `imageOf`, and `image_not_base64`. */
export function imageOfBase64(text: string, name?: string): Image {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new ImageError("image_not_base64", "the image's data is no padded base64");
  return imageOf(Buffer.from(text, "base64"), name);
}

/** @throws ImageError `too_many_images`. */
export function refuseTooMany(count: number): void {
  if (count <= MAX_IMAGES) return;
  throw new ImageError(
    "too_many_images",
    `${count} images are too many; send at most ${MAX_IMAGES} at once`,
    {
      details: { count, maxImages: MAX_IMAGES },
    },
  );
}

function holdsSecret(bytes: Uint8Array): boolean {
  if (secrets.isEmpty) return false;
  const text = new TextDecoder().decode(bytes);
  return secrets.redact(text) !== text;
}
