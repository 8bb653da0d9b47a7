import { randomOf } from "../campaign-size.ts";
import type { Bench } from "../../cli/support/bench.ts";
import type { Running } from "../../cli/support/basis-process.ts";
import { BadWay } from "./bad-way.ts";
import { Namespace } from "./namespace.ts";

/** What workers are started with. */
export interface WorkerSetting {
  readonly bench: Bench;
  readonly model: string;
  readonly database: URL;
  readonly leaseMs: number;
  readonly seed: number;
  /** Told of what a worker says. */
  readonly hear: (place: number, text: string) => void;
}

/** A machine with a worker, whose way to the database is its own. */
export class WorkerMachine {
  readonly network: Namespace;
  readonly way: BadWay;
  readonly place: number;
  worker!: Running;
  readonly #setting: WorkerSetting;

  private constructor(place: number, parts: Pick<WorkerMachine, "network" | "way">, setting: WorkerSetting) {
    this.place = place;
    this.network = parts.network;
    this.way = parts.way;
    this.#setting = setting;
  }

  static async open(place: number, setting: WorkerSetting): Promise<WorkerMachine> {
    const network = new Namespace(place);
    const habits = { random: randomOf(setting.seed, place), delayMs: 4, doubled: 0.3 };
    const way = await BadWay.open(network.outside, Number(setting.database.port), habits);
    const machine = new WorkerMachine(place, { network, way }, setting);
    await machine.start();
    return machine;
  }

  async start(): Promise<void> {
    const { bench, model, database, leaseMs, hear } = this.#setting;
    const url = new URL(database);
    url.hostname = this.network.outside;
    url.port = String(this.way.port);
    const options = ["--lease", `${leaseMs}ms`, "--drain", "1s", "--approve", "always", "--allow-run"];
    this.worker = bench.start(["worker", ...options, "--model", model], {
      env: { BASIS_STORE: url.href },
      through: this.network.prefix,
    });
    this.worker.hear((text) => hear(this.place, text));
    await this.worker.saw("serves");
  }

  async remove(): Promise<void> {
    this.worker.kill("SIGKILL");
    await this.worker.ended;
    this.way.close();
    this.network.remove();
  }
}
