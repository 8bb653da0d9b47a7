/** The way to a host: its own paths, with the token that it knows this page by. */
export interface Connection {
  readonly token: string;
  /** Asks for a path of the host, such as `/rpc`. */
  readonly fetch: (path: string, init: RequestInit) => Promise<Response>;
  /** Aborts when the page lets go of the host. */
  readonly signal: AbortSignal;
}
