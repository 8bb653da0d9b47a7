import type { BlobStore } from "../blob.ts";
import { blobDigest } from "../message-body.ts";
import { checkBlobContent } from "../request-checks.ts";
import type { MemoryState } from "./memory-state.ts";

/** The blobs of a memory store. */
export function memoryBlobs<M>(state: MemoryState<M>): BlobStore {
  return {
    async put(content, options) {
      state.enter(options?.signal);
      const bytes = checkBlobContent(content);
      const digest = blobDigest(content);
      state.keepBlob(digest, typeof content === "string" ? content : content.slice());
      return Object.freeze({ digest, bytes });
    },
    async get(digest, options) {
      state.enter(options?.signal);
      const content = state.blobs.get(digest);
      return typeof content === "string" ? new TextEncoder().encode(content) : content?.slice();
    },
  };
}
