import { basename, resolve } from "node:path";
import { readRegularFile, unreadable } from "../../input/regular-file.ts";
import { ImageError, imageOf, MAX_IMAGE_BYTES, refuseTooMany, type Image } from "../../images/image.ts";
import { UsageError } from "../terminal/exit-code.ts";

/** Reads the images that a command line names. @throws UsageError with every problem there is. */
export function readImages(files: readonly string[], directory: string): readonly Image[] {
  const problems: string[] = [];
  const images = files.flatMap((file) => {
    try {
      return [imageOf(bytesOf(resolve(directory, file)), basename(file))];
    } catch (error) {
      if (!(error instanceof ImageError || error instanceof UnreadableImage)) throw error;
      problems.push(`--image ${file}: ${error.message}`);
      return [];
    }
  });
  try {
    refuseTooMany(files.length);
  } catch (error) {
    problems.push(`--image: ${(error as Error).message}`);
  }
  if (problems.length > 0) throw new UsageError(problems);
  return images;
}

class UnreadableImage extends Error {}

function bytesOf(path: string): Uint8Array {
  try {
    return readRegularFile(path, { maxBytes: MAX_IMAGE_BYTES });
  } catch (error) {
    throw new UnreadableImage(unreadable(error));
  }
}
