import type { SessionError } from "@mobkit/session";
import type { StoreConnection } from "./store-connection.ts";
import { fileSize } from "./store-file.ts";

/** How the write-ahead log is kept from filling the disk. */
export interface LogLimits {
  /** Writes are refused while the log can't be brought below this size. Default 1 GiB. */
  readonly maxLogBytes?: number | undefined;
  /**
   * Told the log's size when it has reached an eighth of `maxLogBytes` and can't be folded into the file, and again with
   * every doubling: somebody keeps a read transaction open. Never awaited; what it throws is dropped.
   */
  readonly onLogGrowth?: ((bytes: number) => void) | undefined;
}

/** 1 GiB: sixteen times what the log is cut back to. */
export const defaultMaxLogBytes = 1_073_741_824;

/** Commits between two looks at the log. */
const interval = 32;

/** Watches the size of the write-ahead log, which grows as long as any process reads at one moment of it. */
export class LogWatch {
  readonly #connection: StoreConnection;
  readonly #limits: LogLimits;
  readonly #maxBytes: number;
  #commits = 0;
  /** The size at which there is something to tell. */
  #next: number;
  #full = false;

  constructor(connection: StoreConnection, limits: LogLimits) {
    this.#connection = connection;
    this.#limits = limits;
    this.#maxBytes = limits.maxLogBytes ?? defaultMaxLogBytes;
    this.#next = this.#maxBytes / 8;
  }

  /** Why nothing may be written now: `store_unavailable`, `log_full`. Looks at every 32nd asking, and always while it is full. */
  refusal(): SessionError<"store_unavailable"> | undefined {
    this.#commits += 1;
    if (!this.#full && this.#commits % interval !== 0) return undefined;
    let bytes = this.#size();
    if (bytes >= this.#next || bytes >= this.#maxBytes) {
      this.#connection.foldLog();
      bytes = this.#size();
    }
    if (bytes < this.#maxBytes / 8) this.#next = this.#maxBytes / 8;
    if (bytes >= this.#next) this.#tell(bytes);
    this.#full = bytes >= this.#maxBytes;
    return this.#full ? this.#connection.unavailable("log_full") : undefined;
  }

  #size(): number {
    return fileSize(`${this.#connection.path}-wal`);
  }

  #tell(bytes: number): void {
    this.#next = bytes * 2;
    try {
      this.#limits.onLogGrowth?.(bytes);
    } catch {
      // Telemetry: the write goes on.
    }
  }
}
