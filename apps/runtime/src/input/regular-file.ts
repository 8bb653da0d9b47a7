import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/**
 * The bytes of a regular file. A pipe or device neither blocks nor is read.
 *
 * @throws Error that says in words why there are none; those of the file system with their `code`.
 */
export function readRegularFile(path: string, { maxBytes }: { readonly maxBytes: number }): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const facts = fstatSync(file);
    if (!facts.isFile()) throw new Error("it is not a regular file; make it one, or remove it");
    if (facts.size > maxBytes)
      throw new Error(`it has ${facts.size} bytes; shorten it to ${maxBytes} or less`);
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}

/** What a failed reading says: the words of `readRegularFile`, or those for a file system's error. */
export function unreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return message;
  return code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`;
}
