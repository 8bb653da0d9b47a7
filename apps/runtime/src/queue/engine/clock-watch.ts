/** What a clock may go back by at once and nobody minds. */
const STEP_MS = 500;

/** Notices that the machine's clock was set back, however it is slewed otherwise. */
export class ClockWatch {
  #ahead = this.#look();
  #wasSetBack = false;

  /** Whether it was, at any look since it was last forgotten. */
  wasSetBack(): boolean {
    const ahead = this.#look();
    this.#wasSetBack ||= ahead < this.#ahead - STEP_MS;
    this.#ahead = ahead;
    return this.#wasSetBack;
  }

  forget(): void {
    this.#wasSetBack = false;
  }

  #look(): number {
    return Date.now() - performance.now();
  }
}
