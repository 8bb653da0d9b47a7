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

/**
 * True when an image ends before its own end. Only a PNG and a WebP say where that is: a JPEG or a GIF without its last bytes is
 * taken, as browsers do.
 */
export function isCutOff(bytes: Uint8Array, type: ImageType): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (type === "image/png") return !hasPngEnd(view);
  return type === "image/webp" && bytes.byteLength < 8 + view.getUint32(4, true);
}

const PNG_SIGNATURE = 8;
/** Length, name and checksum of a chunk. */
const PNG_FRAME = 12;
/** "IEND" */
const PNG_LAST = 0x49_45_4e_44;

function hasPngEnd(view: DataView): boolean {
  for (let at = PNG_SIGNATURE; at + PNG_FRAME <= view.byteLength; at += PNG_FRAME + view.getUint32(at))
    if (view.getUint32(at + 4) === PNG_LAST) return true;
  return false;
}
