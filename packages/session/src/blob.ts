import type { CallOptions } from "./page.ts";

/** Content by its digest, `sha256:` and hexadecimal. */
export interface BlobRef {
  readonly digest: string;
  readonly bytes: number;
}

/**
 * Content-addressed bytes. Message bodies over 16 KiB go here by themselves. A blob that no row, head or mark refers to
 * may be collected some time after it was put; an append that names it in `blobs` keeps it.
 */
export interface BlobStore {
  /** A text is stored as UTF-8. At most 64 MiB. @throws SessionError `invalid_request` (too long, half a character, neither text nor bytes). */
  put(content: string | Uint8Array, options?: CallOptions): Promise<BlobRef>;
  get(digest: string, options?: CallOptions): Promise<Uint8Array | undefined>;
}
