import type { BlobStore } from "../blob.ts";
import type { Lease } from "../lease.ts";
import { invalidRequest } from "../request-checks.ts";
import type { SessionTransfer, TransferRow } from "../transfer.ts";
import type { BundleStep } from "./bundle-judge.ts";
import type { ImportReport, ImportRequest } from "./import-session.ts";

const BATCH_ROWS = 256;
const BATCH_CHARACTERS = 1_048_576;
const BATCH_BLOB_BYTES = 4_194_304;

/** Carries a bundle's steps out in a store: blobs side by side, rows in batches behind them, the session at the end. */
export class ImportStage {
  readonly #blobs: BlobStore;
  readonly #transfer: SessionTransfer;
  readonly #request: ImportRequest;
  #lease: Lease | undefined;
  #rows: TransferRow[] = [];
  #characters = 0;
  #puts: Promise<unknown>[] = [];
  #putBytes = 0;

  constructor(blobs: BlobStore, transfer: SessionTransfer, request: ImportRequest) {
    this.#blobs = blobs;
    this.#transfer = transfer;
    this.#request = request;
  }

  async take(step: Exclude<BundleStep, { readonly type: "end" }>): Promise<void> {
    const { signal } = this.#request;
    switch (step.type) {
      case "origin":
        this.#lease = await this.#transfer.begin({ signal });
        return;
      case "blob":
        return this.#put(step.content);
      case "row":
        await this.#add(step.row);
    }
  }

  /** Seats the member on what was staged. @throws SessionError `invalid_request` (another bundle than was meant). */
  async finish({ summary, contents }: Extract<BundleStep, { readonly type: "end" }>): Promise<ImportReport> {
    const { member, role, labels, bundleDigest, signal } = this.#request;
    if (bundleDigest !== undefined && bundleDigest !== summary.bundleDigest) {
      throw invalidRequest("bundleDigest", "is not that of this bundle");
    }
    await this.#flush();
    const made = await this.#transfer.finish(this.#lease!, { member, role, labels, ...contents }, { signal });
    return Object.freeze({ ...made, bundle: summary });
  }

  /** Gives up what was staged. Quiet: a store that can't do so now does it when the next import begins. */
  async drop(): Promise<void> {
    if (this.#lease !== undefined) await this.#transfer.drop(this.#lease).catch(() => undefined);
  }

  /** Puts wait for one another no more than memory asks for: a store that groups its commits shares them. */
  async #put(content: Uint8Array): Promise<void> {
    const put = this.#blobs.put(content, { signal: this.#request.signal });
    put.catch(() => undefined); // told by whoever waits for all of them
    this.#puts.push(put);
    this.#putBytes += content.length;
    if (this.#putBytes >= BATCH_BLOB_BYTES) await this.#settlePuts();
  }

  async #settlePuts(): Promise<void> {
    const puts = this.#puts;
    this.#puts = [];
    this.#putBytes = 0;
    await Promise.all(puts);
  }

  async #add({ row, blobs, mark }: TransferRow): Promise<void> {
    const { sessionId: writer } = this.#lease!;
    // The row comes with the session: it belongs to no write of it.
    this.#rows.push({ row: { ...row, writer, seq: row.position, rev: 0 }, blobs, mark });
    this.#characters += row.bodyText?.length ?? 0;
    if (this.#rows.length >= BATCH_ROWS || this.#characters >= BATCH_CHARACTERS) await this.#flush();
  }

  async #flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#characters = 0;
    await this.#settlePuts();
    if (rows.length > 0) await this.#transfer.stage(this.#lease!, rows, { signal: this.#request.signal });
  }
}
