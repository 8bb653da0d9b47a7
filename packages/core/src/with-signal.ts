/** Where a signal comes from that is made when it is first read. */
export interface SignalSource {
  readonly signal: AbortSignal;
}

/**
 * Hands on a signal without reading it: most signals are made for nobody. `signal` is a member of its own, so that a copy
 * by spreading has it as well.
 */
export class WithSignal {
  static readonly #member: PropertyDescriptor & ThisType<WithSignal> = {
    enumerable: true,
    configurable: true,
    get() {
      return this.#source.signal;
    },
  };

  declare readonly signal: AbortSignal;
  readonly #source: SignalSource;

  constructor(source: SignalSource) {
    this.#source = source;
    Object.defineProperty(this, "signal", WithSignal.#member);
  }
}
