import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

/** How a way to the database treats what goes over it. */
export interface WayHabits {
  /** Number from 0 to below 1. */
  readonly random: () => number;
  /** Longest delay of a piece; each has its own, and none overtakes another. */
  readonly delayMs: number;
  /** How many of the connections come twice: the second one stays half open. */
  readonly doubled: number;
}

/** A way to a database that delays and doubles connections, and that can be cut. */
export class BadWay {
  /** What has been done to connections, so that a test knows that it was. */
  readonly done = { cut: 0, doubled: 0, repliesLost: 0 };
  readonly #habits: WayHabits;
  readonly #target: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  #repliesToLose = 0;

  private constructor(target: number, habits: WayHabits) {
    this.#target = target;
    this.#habits = habits;
    this.#server = createServer((client) => this.#join(client));
  }

  /** Listens at an address of this machine, for a port on its loopback. */
  static async open(address: string, target: number, habits: WayHabits): Promise<BadWay> {
    const way = new BadWay(target, habits);
    way.#server.listen(0, address);
    await once(way.#server, "listening");
    return way;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Breaks every connection and lets none in, or lets them in again. */
  cut(isCut: boolean): void {
    this.#isCut = isCut;
    if (!isCut) return;
    this.done.cut += this.#sockets.size;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** The next answers don't arrive: what was asked has been done, and the connection is gone (S27). */
  loseReplies(count: number): void {
    this.#repliesToLose = count;
  }

  close(): void {
    this.cut(true);
    this.#server.close();
  }

  #join(client: Socket): void {
    if (this.#isCut) return void client.destroy();
    const server = connect(this.#target, "127.0.0.1");
    this.#keep(client, server);
    this.#keep(server, client);
    if (this.#habits.random() < this.#habits.doubled) this.#double(client);
    let isAnswered = true;
    this.#pass(client, server, () => {
      isAnswered = false;
      return true;
    });
    this.#pass(server, client, () => {
      const isAnswer = !isAnswered;
      isAnswered = true;
      if (!isAnswer || this.#repliesToLose === 0) return true;
      this.#repliesToLose -= 1;
      this.done.repliesLost += 1;
      client.destroy();
      return false;
    });
  }

  /** As after a retry in between: the server sees a second client that begins alike and says nothing more. */
  #double(client: Socket): void {
    const ghost = connect(this.#target, "127.0.0.1");
    this.#keep(ghost, ghost);
    ghost.resume();
    client.once("data", (first) => ghost.write(first));
    client.once("close", () => ghost.destroy());
    this.done.doubled += 1;
  }

  #pass(from: Socket, to: Socket, may: () => boolean): void {
    let before = Promise.resolve();
    from.on("data", (piece) => {
      if (!may()) return;
      const ms = this.#habits.random() * this.#habits.delayMs;
      before = before.then(async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        if (to.writable) to.write(piece);
      });
    });
  }

  #keep(socket: Socket, other: Socket): void {
    this.#sockets.add(socket);
    const end = (): void => void other.destroy();
    socket.on("error", end).on("close", () => {
      this.#sockets.delete(socket);
      end();
    });
  }
}
