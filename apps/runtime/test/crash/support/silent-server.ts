import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A model's endpoint that takes requests and never answers. */
export class SilentServer {
  readonly #server: Server;
  readonly #asked: Promise<void>;

  private constructor(server: Server) {
    this.#server = server;
    this.#asked = new Promise((resolve) => server.once("request", () => resolve()));
  }

  static async open(): Promise<SilentServer> {
    const server = createServer(() => undefined);
    const opened = new SilentServer(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return opened;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Resolves with the first request. */
  asked(): Promise<void> {
    return this.#asked;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
