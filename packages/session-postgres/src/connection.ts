import type { DriverClient, DriverQuery, DriverResult } from "./driver.ts";
import { sqlFailure } from "./sql-failure.ts";
import type { Sql, SqlRow, SqlValue } from "./sql.ts";

/** The server's process behind a connection; a process number alone may be used again. */
export interface Backend {
  readonly pid: number;
  readonly startedAt: string;
}

/** Names of prepared statements by text: the store's own texts are few and never put together from input. */
const names = new Map<string, string>();

/** One connection for as long as somebody has it. Everything that is sent before an answer comes shares a round trip. */
export class Connection implements Sql {
  readonly backend: Backend;
  readonly #client: DriverClient;
  readonly #giveBack: (broken: boolean) => void;
  #lost = false;

  constructor(client: DriverClient, held: { readonly backend: Backend; giveBack(broken: boolean): void }) {
    this.#client = client;
    this.backend = held.backend;
    this.#giveBack = held.giveBack;
    client.on("error", this.#onError);
  }

  /** True once the connection has ended; nobody knows what the server did with the last statements. */
  get lost(): boolean {
    return this.#lost;
  }

  /** One of the store's own statements, prepared once on each connection. */
  async query(text: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
    return (await this.#send({ text, values: values.map(keepable), name: nameOf(text) })).rows;
  }

  /** A statement of the host's: one, whatever its text says. */
  queryOnce(text: string, values: readonly SqlValue[]): Promise<DriverResult> {
    return this.#send({ text, values: [...values], queryMode: "extended" });
  }

  /** A command without values; answers what the server says it did. */
  async command(text: string): Promise<string> {
    return (await this.#send({ text })).command;
  }

  /** Gives the connection back; a lost one, or one in doubt, is closed. */
  release(inDoubt = false): void {
    this.#client.off("error", this.#onError);
    this.#giveBack(this.#lost || inDoubt);
  }

  async #send(query: DriverQuery): Promise<DriverResult> {
    try {
      return await this.#client.query(query);
    } catch (error) {
      if (sqlFailure(error) === "lost") this.#lost = true;
      throw error;
    }
  }

  readonly #onError = (): void => {
    this.#lost = true;
  };
}

/** A text column has no NUL: a name with one is nobody's, and a note keeps a mark in its place. */
function keepable(value: SqlValue): SqlValue {
  return typeof value === "string" && value.includes("\0") ? value.replaceAll("\0", "\ufffd") : value;
}

function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
