import { whenThere, type Later } from "../../events/event-log.ts";
import type { ModelMessage } from "../../providers/model.ts";
import type { HostStore } from "../../store/host-store.ts";
import { redactionsOf } from "../../store/prompt-calls.ts";
import type { KeptTranscripts } from "./kept-transcripts.ts";
import { addMessage, loadTranscript, type LoadedTranscript } from "./load-transcript.ts";
import type { RunContext } from "../run/run-context.ts";
import type { UsedCallIds } from "./tool-message.ts";

/** Where transcripts come from. */
export interface TranscriptPorts {
  readonly store: HostStore;
  /** Absent: every turn reads its session from the beginning. */
  readonly transcripts?: KeptTranscripts | undefined;
  /** Estimated tokens of a request at which its session is compacted first; absent: only once a provider has refused one. */
  readonly compactAt?: number | undefined;
}

/**
 * The transcript as requests are built from it: what the session held when the run began, then what its writer appended. Read
 * anew when something in the store was redacted, so that no request repeats what is gone.
 */
export class Transcript {
  readonly #run: RunContext;
  readonly #ports: TranscriptPorts;
  #loaded: LoadedTranscript;
  /** Of the writer's rows, those that are in. */
  #taken = 0;

  private constructor(run: RunContext, ports: TranscriptPorts, loaded: LoadedTranscript) {
    this.#run = run;
    this.#ports = ports;
    this.#loaded = loaded;
  }

  /** Reads what the session held when its lease was taken, as far as it is not kept from its last turn. */
  static load(run: RunContext, ports: TranscriptPorts): Later<Transcript> {
    const { writer, scope, ending } = run;
    return whenThere(redactionsOf(ports.store, ending), (generation) => {
      const kept = ports.transcripts?.take(scope.session, generation);
      const load = { head: writer.head, generation, ending, kept };
      return whenThere(loadTranscript(ports.store, load), (loaded) => new Transcript(run, ports, loaded));
    });
  }

  /** Where requests of it are too long. */
  get compactAt(): number | undefined {
    return this.#ports.compactAt;
  }

  /** Ids of the calls in `messages()`, as it was last asked for. What a summary stands for is not read, so behind one they are unknown. */
  get callIds(): UsedCallIds {
    const { callIds, markAt } = this.#loaded;
    return markAt === undefined ? callIds : "unknown";
  }

  /** Everything up to now, in a list that grows with the next rows: a copy for each round would cost the history. */
  messages(): Later<readonly ModelMessage[]> {
    return whenThere(redactionsOf(this.#ports.store, this.#run.ending), (generation) =>
      whenThere(generation === this.#loaded.generation ? undefined : this.#read(generation), () => {
        this.#takeAppended();
        return this.#loaded.messages;
      }),
    );
  }

  /** Reads it anew from the store, as after a compaction. */
  async reload(): Promise<void> {
    await this.#read(await redactionsOf(this.#ports.store, this.#run.ending));
  }

  /**
   * Keeps it for the session's next turn in this process, once this one has written its last row. Not after a
   * rollback, nor when a row may be there whose reply was lost, nor of a delegated child, which rarely has another turn.
   */
  keep(): void {
    const { writer, scope } = this.#run;
    if (scope.parent !== undefined || writer.rolledBack) return;
    this.#takeAppended();
    if (this.#loaded.len !== writer.len) return;
    this.#ports.transcripts?.put(scope.session, { loaded: this.#loaded, digest: writer.digest });
  }

  async #read(generation: number): Promise<void> {
    const { writer, scope, ending } = this.#run;
    const { store } = this.#ports;
    const head = await store.head(scope.session, { signal: ending.signal });
    this.#loaded = await loadTranscript(store, { head, generation, ending });
    this.#taken = writer.appended.length;
  }

  #takeAppended(): void {
    const { appended } = this.#run.writer;
    for (; this.#taken < appended.length; this.#taken += 1) addMessage(this.#loaded, appended[this.#taken]!);
  }
}
