import { groupSignals, type GroupSignals } from "./group-signals.ts";
import type { EndSignal } from "./termination.ts";

const living = new Set<ProcessGroup>();

/** Kills what still runs when the host itself exits. */
function killAll(): void {
  for (const group of living) group.killNow();
}

/** A child of this process and everything it started. */
export class ProcessGroup {
  readonly #leader: number;
  readonly #signals: GroupSignals;

  /** `leader` is the number of a child that was started to lead a group. */
  constructor(leader: number, signals: GroupSignals = groupSignals) {
    this.#leader = leader;
    this.#signals = signals;
    if (living.size === 0) process.on("exit", killAll);
    living.add(this);
  }

  /** Signals the whole group; nothing happens once it has ended, since its number may belong to somebody else by then. */
  kill(signal: EndSignal): void {
    this.#ifLiving((signals, leader) => signals.send(leader, signal));
  }

  /** Kills the group before this process goes on. */
  killNow(): void {
    this.#ifLiving((signals, leader) => signals.sendNow(leader, "SIGKILL"));
  }

  /** The leader has exited: kills whatever it left behind, in the same tick, and forgets the group. */
  end(): void {
    this.#ifLiving((signals, leader) => signals.sweep(leader));
    if (living.delete(this) && living.size === 0) process.off("exit", killAll);
  }

  #ifLiving(act: (signals: GroupSignals, leader: number) => void): void {
    if (!living.has(this)) return;
    try {
      act(this.#signals, this.#leader);
    } catch {
      // no process of the group is left
    }
  }
}
