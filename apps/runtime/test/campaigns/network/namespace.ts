import { execFileSync } from "node:child_process";

/** Why this machine can't have networks of its own; undefined when it can. */
export function namespaceProblem(): string | undefined {
  if (process.platform !== "linux") return "network namespaces are Linux's";
  if (process.getuid?.() !== 0) return "network namespaces need root";
  const name = `basis${process.pid}`;
  try {
    ip("netns", "add", name);
    ip("netns", "delete", name);
    execFileSync("unshare", ["--uts", "true"], { stdio: "ignore" });
    return undefined;
  } catch (error) {
    return `network namespaces can't be made here: ${(error as Error).message.split("\n", 1)[0]}`;
  }
}

/** A machine for programs: a network and a host name of its own, joined to this one by a cable. */
export class Namespace {
  /** Where this machine is reached from within. */
  readonly outside: string;
  readonly #name: string;
  readonly #cable: string;

  constructor(place: number) {
    const id = process.pid % 50_000;
    this.#name = `basis${id}-${place}`;
    this.#cable = `bs${id}-${place}`;
    const net = `10.${64 + (id % 128)}.${place}`;
    this.outside = `${net}.1`;
    ip("netns", "add", this.#name);
    ip("link", "add", this.#cable, "type", "veth", "peer", "name", "eth0", "netns", this.#name);
    ip("address", "add", `${this.outside}/30`, "dev", this.#cable);
    ip("link", "set", this.#cable, "up");
    ip("-n", this.#name, "address", "add", `${net}.2/30`, "dev", "eth0");
    ip("-n", this.#name, "link", "set", "eth0", "up");
    ip("-n", this.#name, "link", "set", "lo", "up");
  }

  /** What a program's command is to begin with to run there, under the process id that it is started with. */
  get prefix(): readonly string[] {
    const named = ["sh", "-c", 'hostname "$0" && exec "$@"', this.#name];
    return ["ip", "netns", "exec", this.#name, "unshare", "--uts", ...named];
  }

  /** Pulls the cable, or puts it back: packets are lost, and nobody is told. */
  plug(isIn: boolean): void {
    ip("link", "set", this.#cable, isIn ? "up" : "down");
  }

  remove(): void {
    ip("netns", "delete", this.#name);
  }
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}
