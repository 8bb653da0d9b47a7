import type { SessionError } from "@mobkit/session";
import {
  driverFailure,
  type PrepareOptions,
  type SqliteConnection,
  type SqliteDriver,
  type SqlStatement,
} from "./driver.ts";
import { KnownRecords } from "./known-records.ts";
import { untilUnlocked } from "./lock-wait.ts";
import { connectionSettings } from "./connection-settings.ts";
import { SchemaWatch } from "./schema-watch.ts";
import { StatementCache } from "./statement-cache.ts";
import { storeUnavailable, type UnavailableReason } from "./store-failure.ts";
import { fileIdentity, type FileIdentity } from "./store-file.ts";

/** What a connection is made with. */
export interface StoreConnectionOptions {
  readonly path: string;
  readonly driver: SqliteDriver;
  readonly readOnly: boolean;
  /** Nothing can change the file: it is read without locks and log. Default false. */
  readonly immutable?: boolean;
  /** How long an operation may wait for other processes, in milliseconds. */
  readonly busyTimeoutMs: number;
}

/** The one connection of a store: its settings, its prepared statements, its short read transactions. */
export class StoreConnection {
  readonly path: string;
  readonly readOnly: boolean;
  readonly busyTimeoutMs: number;
  readonly known: KnownRecords = new KnownRecords();
  readonly #options: StoreConnectionOptions;
  readonly #file: FileIdentity | undefined;
  readonly #statements = new StatementCache();
  readonly #schema = new SchemaWatch();
  #open: SqliteConnection | undefined;
  #closed = false;
  #lent = false;

  constructor(options: StoreConnectionOptions) {
    this.path = options.path;
    this.readOnly = options.readOnly;
    this.busyTimeoutMs = options.busyTimeoutMs;
    this.#options = options;
    this.#file = fileIdentity(options.path);
  }

  /** Runs SQL that answers nothing. */
  exec(sql: string): void {
    this.#connection().exec(sql);
  }

  /** The statement of a text, prepared once. */
  statement(sql: string, options: PrepareOptions = {}): SqlStatement {
    return this.#statements.statement(() => this.#connection(), sql, options);
  }

  /** Reads in one short transaction: everything `work` reads is of one moment. Waits while the file is locked. */
  async read<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    this.refuseWhileLent();
    return this.patiently(() => {
      this.#begin("BEGIN");
      try {
        this.#schema.look(this);
        return work();
      } finally {
        this.rollBack();
      }
    }, signal);
  }

  /** Reads by one statement, or by several that need not be of one moment. Waits while the file is locked. */
  async look<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    this.refuseWhileLent();
    return this.patiently(() => {
      try {
        this.#schema.look(this);
        return work();
      } catch (error) {
        if (["io", "cannot_open"].includes(driverFailure(error))) this.drop();
        throw error;
      }
    }, signal);
  }

  /** Writes in a transaction of its own, outside any group: what changes a schema. Waits while the file is locked. */
  async change<T>(work: () => T): Promise<T> {
    this.refuseWrites();
    this.known.forget();
    return this.patiently(() => {
      this.#begin("BEGIN IMMEDIATE");
      try {
        const answer = work();
        this.statement("COMMIT").run();
        return answer;
      } catch (error) {
        this.rollBack();
        throw error;
      }
    });
  }

  /** Tries until the file is not locked, at most `busyTimeoutMs`. @throws as `untilUnlocked`. */
  patiently<T>(attempt: () => T, signal?: AbortSignal): Promise<T> {
    return untilUnlocked(attempt, { path: this.path, busyTimeoutMs: this.busyTimeoutMs, signal });
  }

  /**
   * Ends the current transaction without effect; quiet when SQLite has ended it already. Asked twice when it fails, so
   * that one failure leaves nothing open.
   */
  rollBack(): void {
    this.known.rollBack();
    if (!this.#open) return;
    try {
      this.statement("ROLLBACK").run();
    } catch {
      this.#quietly("ROLLBACK");
    }
  }

  /** Runs a callback of the host's inside the open transaction; meanwhile the store's own calls are refused. */
  lend<T>(work: () => T): T {
    this.#lent = true;
    try {
      return work();
    } finally {
      this.#lent = false;
    }
  }

  /** @throws SessionError `store_unavailable` inside a callback of `lend`. */
  refuseWhileLent(): void {
    if (this.#lent) throw this.unavailable("in_transaction");
  }

  /** @throws SessionError `store_unavailable` where nothing may be written. */
  refuseWrites(): void {
    this.refuseWhileLent();
    if (this.readOnly) throw this.unavailable("read_only");
  }

  /**
   * Moves what the log holds into the file. SQLite's own last close would do so, but a driver may keep a closed
   * connection alive until its statements are collected. Quiet: whoever opens the file next reads the log.
   */
  foldLog(): void {
    if (!this.readOnly) this.#quietly("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  /** Copies the database into an empty file: one try, whose failures are the driver's. */
  async copyTo(target: string): Promise<void> {
    const { backup } = this.#connection();
    if (backup) await backup(target);
    else this.statement("VACUUM INTO ?").run(target);
  }

  /**
   * Lets go of the handle after a failure that leaves its state unknown; the next use opens a new one. A driver may keep
   * a closed handle alive until its statements are collected, so no transaction may stay open on it.
   */
  drop(): void {
    this.rollBack();
    this.#letGo();
  }

  /** Closes a handle over which nothing was prepared, which frees it at once. False for a caller's, which stays open. */
  release(): boolean {
    const isOwn = this.#open?.shared !== true;
    if (isOwn) this.#letGo();
    return isOwn;
  }

  /** Closes for good. */
  close(): void {
    this.#letGo();
    this.#closed = true;
  }

  /** A handle that can't begin for another reason than a lock is in doubt. */
  #begin(sql: string): void {
    try {
      this.statement(sql).run();
    } catch (error) {
      if (driverFailure(error) !== "busy") this.drop();
      throw error;
    }
  }

  /** Useful when it succeeds; hides nothing when it fails. */
  #quietly(sql: string): void {
    try {
      this.#open?.exec(sql);
    } catch {
      // The failure that led here is the one to tell.
    }
  }

  #letGo(): void {
    this.known.forget();
    this.#statements.clear();
    const open = this.#open;
    this.#open = undefined;
    try {
      open?.close();
    } catch {
      // The handle is given up either way.
    }
  }

  /** The refusal of this store. */
  unavailable(reason: UnavailableReason, cause?: unknown): SessionError<"store_unavailable"> {
    return storeUnavailable(this.path, { reason, cause });
  }

  #connection(): SqliteConnection {
    if (this.#closed) throw this.unavailable("closed");
    return (this.#open ??= this.#connect());
  }

  #connect(): SqliteConnection {
    this.refuseReplacedFile();
    const connection = this.known.of(this.#options.driver.open(this.path, this.#options));
    try {
      for (const setting of connectionSettings) connection.exec(`PRAGMA ${setting}`);
    } catch (error) {
      connection.close();
      throw error;
    }
    return connection;
  }

  /** @throws SessionError `store_unavailable` when the path leads elsewhere: what is written to the old file is lost to everybody else. */
  refuseReplacedFile(): void {
    const now = fileIdentity(this.path);
    if (now?.device === this.#file?.device && now?.inode === this.#file?.inode) return;
    this.foldLog();
    throw this.unavailable("replaced");
  }
}
