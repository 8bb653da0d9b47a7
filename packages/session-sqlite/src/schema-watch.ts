import { refuseNewerSchema } from "./migrations.ts";
import type { StoreConnection } from "./store-connection.ts";

/** A look costs a tenth of a short read. */
const BETWEEN_LOOKS_MS = 100;

/** Looks now and then whether a later release has migrated the file that is read. */
export class SchemaWatch {
  #nextLook = 0;

  /** @throws SessionError `store_newer` from the first look on that finds it. */
  look(connection: StoreConnection): void {
    const now = performance.now();
    if (now < this.#nextLook) return;
    refuseNewerSchema(connection);
    this.#nextLook = now + BETWEEN_LOOKS_MS;
  }
}
