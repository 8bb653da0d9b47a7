import type { SessionRecord } from "@mobkit/session";
import type { LoadedTranscript } from "./load-transcript.ts";

/** Most bytes that the transcripts of a host are estimated to take, and most sessions that have one. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_SESSIONS = 32;

/** A transcript as the session's last turn in this process left it. */
export interface KeptTranscript {
  readonly loaded: LoadedTranscript;
  /** The prefix digest at its length: the session that shows it again begins with these very rows. */
  readonly digest: string;
}

/**
 * Transcripts that a host keeps from one turn of a session to the next, so that only what others wrote since is read.
 * A turn takes its session's out and puts it back when it ends, so nobody else changes it meanwhile. Those that were
 * used longest ago go first. A redaction anywhere in the store lets go of all, since any may hold what is gone.
 */
export class KeptTranscripts {
  /** Each in a holder that is emptied when it goes: V8's maps keep, until all of the heap is collected, what they grew out of. */
  readonly #kept = new Map<string, { transcript: KeptTranscript | undefined }>();
  #bytes = 0;
  /** The newest count of the store's redactions that a turn has seen. */
  #generation = 0;
  #closed = false;

  /** How many sessions have one. */
  get size(): number {
    return this.#kept.size;
  }

  /** Takes a session's transcript out; undefined when it has none that has seen every redaction. */
  take(sessionId: string, generation: number): KeptTranscript | undefined {
    this.#follow(generation);
    const kept = this.#remove(sessionId);
    return kept?.loaded.generation === generation ? kept : undefined;
  }

  /** True when the session still ends where its last turn in this process left it, whose rows were all told then. */
  isWhereLeft({ id, len, headDigest }: Pick<SessionRecord, "id" | "len" | "headDigest">): boolean {
    const kept = this.#kept.get(id)?.transcript;
    return kept?.loaded.len === len && kept.digest === headDigest;
  }

  /** Keeps a transcript, unless a redaction came after it was read or it is too large. */
  put(sessionId: string, transcript: KeptTranscript): void {
    const { generation, bytes } = transcript.loaded;
    this.#follow(generation);
    this.#remove(sessionId);
    if (this.#closed || generation < this.#generation || bytes > MAX_BYTES) return;
    this.#kept.set(sessionId, { transcript });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MAX_SESSIONS && this.#bytes <= MAX_BYTES) break;
      this.#remove(oldest);
    }
  }

  /** Lets go of everything and keeps nothing more. */
  close(): void {
    this.#closed = true;
    this.#clear();
  }

  #follow(generation: number): void {
    if (generation <= this.#generation) return;
    this.#generation = generation;
    this.#clear();
  }

  #remove(sessionId: string): KeptTranscript | undefined {
    const holder = this.#kept.get(sessionId);
    if (holder === undefined) return undefined;
    this.#kept.delete(sessionId);
    const kept = holder.transcript!;
    holder.transcript = undefined;
    this.#bytes -= kept.loaded.bytes;
    return kept;
  }

  #clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}
