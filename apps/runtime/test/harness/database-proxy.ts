import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** A way to the tests' database that counts, and that can be closed. */
export interface DatabaseProxy {
  readonly url: string;
  /** How often a client has sent something after an answer, on whichever connection. */
  readonly roundTrips: number;
  /** Keeps the answer to the next text like this back and cuts the connection; with `andClose`, every way in. */
  muteNext(text: string, options?: { readonly andClose?: boolean }): void;
  /** Lets nobody in and cuts everybody off, or lets everybody in again. */
  close(isClosed: boolean): void;
}

/** Opens a proxy on this machine; it ends with the test. */
export async function databaseProxy(url: string): Promise<DatabaseProxy> {
  const target = new URL(url);
  const { hostname } = target;
  const port = Number(target.port);
  const sockets = new Set<Socket>();
  let isClosed = false;
  let roundTrips = 0;
  let muted: { readonly text: string; readonly andClose: boolean } | undefined;
  const close = (closing: boolean): void => {
    isClosed = closing;
    if (closing) for (const socket of sockets) socket.destroy();
  };
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    const cut = (): void => void other.destroy();
    socket.on("error", cut).on("close", () => {
      sockets.delete(socket);
      cut();
    });
  };
  const proxy = createServer((client) => {
    if (isClosed) return void client.destroy();
    const server = connect(port, hostname);
    keep(client, server);
    keep(server, client);
    let isAnswered = true;
    let isMuted: typeof muted;
    client.on("data", (bytes) => {
      if (isAnswered) roundTrips += 1;
      isAnswered = false;
      if (muted !== undefined && bytes.includes(muted.text)) [isMuted, muted] = [muted, undefined];
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      isAnswered = true;
      if (isMuted === undefined) return void client.write(bytes);
      // The server is done once it is ready for the next statement. Source: the protocol's ReadyForQuery message.
      if (!bytes.includes("Z\0\0\0\u0005I")) return;
      if (isMuted.andClose) close(true);
      else client.destroy();
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  target.port = String((proxy.address() as { readonly port: number }).port);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return {
    url: target.href,
    get roundTrips() {
      return roundTrips;
    },
    muteNext: (text, { andClose = false } = {}) => void (muted = { text, andClose }),
    close,
  };
}
