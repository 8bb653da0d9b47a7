/** The kinds of images that every provider takes and every browser shows; none of them can hold a script. */
export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** The kind that the first bytes say; undefined for every other. */
export function imageTypeOf(bytes: Uint8Array): ImageType | undefined {
  const starts = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString(
    "latin1",
  );
  if (starts.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (starts.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(starts)) return "image/gif";
  return /^RIFF[^]{4}WEBP$/.test(starts) ? "image/webp" : undefined;
}
