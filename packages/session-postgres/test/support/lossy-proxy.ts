import { createServer, connect, type Server as TcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";

/** When a connection is cut: once the client has sent this, before the server gets it or before its answer comes back. */
export interface Cut {
  readonly at: string;
  readonly when: "before the server" | "before the answer";
}

/** A way to the server that loses connections as told. */
export interface LossyProxy {
  readonly url: string;
  /** Cuts the next connection that sends the text, once. Resolves when it has. */
  cutNext(cut: Cut): Promise<void>;
  /** Cuts every connection now. */
  cutAll(): void;
  /** Lets nobody in, or everybody again. */
  refuse(closed: boolean): void;
  /** Round trips so far: how often the client has sent something after an answer. */
  readonly roundTrips: number;
}

interface Plan extends Cut {
  done(): void;
}

/** How the server says that it is done, and in no transaction. Source: the protocol's ReadyForQuery message. */
const readyOutsideTransaction = Buffer.from("Z\0\0\0\u0005I");

/** A TCP proxy before a PostgreSQL server; it ends with the test. */
export async function lossyProxy(url: string): Promise<LossyProxy> {
  const target = new URL(url);
  const { hostname } = target;
  const targetPort = Number(target.port);
  const sockets = new Set<Socket>();
  let plan: Plan | undefined;
  let closed = false;
  let roundTrips = 0;
  const proxy = createServer((client) => {
    if (closed) return void client.destroy();
    const server = connect(targetPort, hostname);
    const both = [client, server];
    const cut = (): void => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      sockets.add(socket);
      socket.on("error", cut);
      socket.on("close", () => {
        sockets.delete(socket);
        cut();
      });
    }
    let muted: Plan | undefined;
    let answered = true;
    client.on("data", (bytes) => {
      if (answered) roundTrips += 1;
      answered = false;
      const found = plan !== undefined && bytes.includes(plan.at) ? plan : undefined;
      if (found) plan = undefined;
      if (found?.when === "before the server") {
        cut();
        return found.done();
      }
      muted = found ?? muted;
      server.write(bytes);
    });
    server.on("data", (bytes) => {
      answered = true;
      if (muted === undefined) return void client.write(bytes);
      if (!bytes.includes(readyOutsideTransaction)) return;
      const { done } = muted;
      cut();
      done();
    });
  });
  const port = await listen(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  target.port = String(port);
  return {
    url: target.href,
    cutNext: (cut) => new Promise((done) => (plan = { ...cut, done })),
    cutAll: () => sockets.forEach((socket) => socket.destroy()),
    refuse: (value) => void (closed = value),
    get roundTrips() {
      return roundTrips;
    },
  };
}

function listen(proxy: TcpServer): Promise<number> {
  return new Promise((resolve) => {
    proxy.listen(0, "127.0.0.1", () => resolve((proxy.address() as { port: number }).port));
  });
}
