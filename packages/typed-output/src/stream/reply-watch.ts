import { isJsonObject, type JsonObject, type JsonValue } from "@basis/core";
import type { LoweredSchema } from "../lowering/index.ts";
import type { OutputIssue } from "../output-result.ts";
import type { OutputSpec } from "../output-spec.ts";
import { unwrap } from "../root-wrapper.ts";
import { atPointer } from "../schema-walk.ts";
import { DoomWatch } from "./doom-watch.ts";
import { ElementWatch, type JudgedElement } from "./element-watch.ts";
import { PartialJson } from "./partial-json.ts";
import type { DeltaVerdict, OutputStreamEvent, ReplyDelta, StreamOptions } from "./stream-event.ts";

/** How many values may be copied for a snapshot, for each character read since the one before. */
const COPIES_PER_CHARACTER = 4;

type ReplyPiece = Exclude<ReplyDelta, { readonly restart: true }>;

/** What a watch is made of. */
export interface ReplyWatchOptions {
  readonly spec: OutputSpec<unknown>;
  readonly toolName: string;
  readonly lowering: LoweredSchema | undefined;
  readonly redact: boolean;
  readonly stream: StreamOptions;
  readonly emit: (event: OutputStreamEvent<never>) => void;
}

/** Which answer it is: the round, and the id of its call, empty for a text. */
export interface AnswerPlace {
  readonly round: number;
  readonly id: string;
}

interface AcceptedPlace extends AnswerPlace {
  /** True when a hook left something else than the model wrote. */
  readonly rewritten: boolean;
}

/** Where a piece belongs to. */
export interface DeltaPlace {
  readonly round: number;
  /** True while the answer is asked for as text. */
  readonly byText: boolean;
}

/** Watches the replies of one run, of each round the first answer. */
export class ReplyWatch {
  readonly #options: ReplyWatchOptions;
  readonly #elements: ElementWatch | undefined;
  readonly #doom: DoomWatch | undefined;
  #doomed: (AnswerPlace & { readonly issues: readonly OutputIssue[] }) | undefined;
  #parser = new PartialJson();
  #current: AnswerPlace | undefined;
  #repeats = false;
  #answers = 0;
  #unread = 0;

  constructor(options: ReplyWatchOptions) {
    const { spec, stream, toolName, redact, lowering } = options;
    this.#options = options;
    const pointer = stream.elements ?? (isList(spec) ? "" : undefined);
    this.#elements = pointer === undefined ? undefined : new ElementWatch(spec, pointer, redact);
    const mayStop = stream.stopDoomed === true && !spec.wrapped && lowering?.plain !== false;
    this.#doom = mayStop ? new DoomWatch(spec, toolName, redact) : undefined;
  }

  /** Reads a piece of a reply. */
  delta(delta: ReplyDelta, place: DeltaPlace): DeltaVerdict {
    try {
      if ("restart" in delta) return this.#restart(place);
      return this.#read(delta, place);
    } catch {
      // Who only watches cannot break a run: nothing more is told of this answer.
      this.#parser.failed = true;
      return "continue";
    }
  }

  /** The same answer will come once more, under whatever id. */
  #restart({ round }: DeltaPlace): DeltaVerdict {
    if (this.#current?.round !== round) return "continue";
    this.#current = undefined;
    this.#repeats = true;
    this.#startOver();
    return "continue";
  }

  #read(delta: ReplyPiece, place: DeltaPlace): DeltaVerdict {
    const piece = this.#pieceOf(delta, place);
    if (typeof piece !== "string" || this.#parser.failed) return "continue";
    this.#parser.feed(piece);
    this.#unread += piece.length;
    if (this.#isPlain || this.#isDue) this.#tellElements();
    if (this.#isDue) {
      this.#tellPartial();
      this.#unread = 0;
    }
    return this.#judge(this.#current!);
  }

  /**
   * An answer was accepted. Whatever of its list was not told yet is told now: all of it, where it came in another place
   * than it was asked for in, in no pieces, in a call beside the one that was watched, or from a hook that rewrote it.
   */
  accepted(candidate: JsonValue, { round, id, rewritten }: AcceptedPlace): void {
    const watch = this.#elements;
    if (!watch) return;
    const isWatched = this.#current?.round === round && this.#current.id === id;
    if (this.#current && (rewritten || !isWatched)) {
      this.#answers += 1;
      this.#startOver();
    }
    const list = atPointer(candidate, watch.pointer);
    if (Array.isArray(list)) this.#tell(watch.take(list, list.length));
  }

  /** Why a call of that round was stopped before its end; undefined for any other call. */
  doomed(toolCallId: string, round: number): readonly OutputIssue[] | undefined {
    const stopped = this.#doomed;
    return stopped?.id === toolCallId && stopped.round === round ? stopped.issues : undefined;
  }

  /** The piece, when it belongs to the answer that is watched in this round. */
  #pieceOf(delta: ReplyPiece, { round, byText }: DeltaPlace): string | undefined {
    const isCall = "toolCallId" in delta;
    if (isCall ? delta.toolName.toLowerCase() !== this.#options.toolName.toLowerCase() : !byText)
      return undefined;
    const id = isCall ? delta.toolCallId : "";
    if (this.#current?.round !== round) this.#begin(round, id);
    if (this.#current?.id !== id) return undefined;
    return isCall ? delta.input : delta.text;
  }

  #begin(round: number, id: string): void {
    this.#current = { round, id };
    if (!this.#repeats) this.#answers += 1;
    if (!this.#repeats && this.#answers > 1) this.#startOver();
    this.#repeats = false;
  }

  /** What was told so far belongs to no answer any more. */
  #startOver(): void {
    this.#unread = 0;
    this.#parser = new PartialJson();
    this.#elements?.reset();
    this.#options.emit({ type: "reset", attempt: this.#answers });
  }

  /** True when the parts that a look copies are worth it: looks cost no more than the reading itself. */
  get #isDue(): boolean {
    const parser = this.#parser;
    const cost = this.#isPlain ? parser.snapshotCost : parser.length;
    return parser.complete || this.#unread * COPIES_PER_CHARACTER >= cost;
  }

  #tellPartial(): void {
    const value = this.#shown();
    if (value !== undefined) this.#options.emit({ type: "partial", value });
  }

  get #isPlain(): boolean {
    return this.#options.lowering?.plain !== false;
  }

  /** The answer so far in the author's terms; of a lowered one only the members that are whole. */
  #shown(): JsonValue | undefined {
    const { spec, lowering } = this.#options;
    const written = this.#isPlain ? this.#parser.snapshot() : this.#wholeMembers();
    if (written === undefined) return undefined;
    const lifted = this.#isPlain ? written : lowering!.lift(written).value;
    // a list that should have stood in the wrapper is read as it is
    return spec.wrapped && !Array.isArray(lifted) ? unwrap(lifted)?.value : lifted;
  }

  #wholeMembers(): JsonValue | undefined {
    const { live, complete, openKey } = this.#parser;
    if (complete || !isJsonObject(live)) return live;
    return Object.fromEntries(Object.entries(live).filter(([name]) => name !== openKey));
  }

  #tellElements(): void {
    const watch = this.#elements;
    if (!watch) return;
    const found = this.#isPlain ? this.#liveList(watch.pointer) : this.#liftedList(watch.pointer);
    if (!found) return;
    this.#tell(watch.take(found.list, found.complete));
  }

  #tell(elements: Iterable<JudgedElement>): void {
    for (const { index, value, issues } of elements) {
      if (issues.length === 0) this.#options.emit({ type: "element", index, value });
      else this.#options.emit({ type: "invalid_element", index, value, issues });
    }
  }

  #liveList(pointer: string): { list: readonly JsonValue[]; complete: number } | undefined {
    const { live, open } = this.#parser;
    const prefix = this.#options.spec.wrapped && !Array.isArray(live) ? "/value" : "";
    const list = live === undefined ? undefined : atPointer(live, `${prefix}${pointer}`);
    if (!Array.isArray(list)) return undefined;
    const level = open.findIndex(({ container }) => container === list);
    const holdsOpen = level >= 0 && level < open.length - 1;
    return { list, complete: list.length - (holdsOpen ? 1 : 0) };
  }

  #liftedList(pointer: string): { list: readonly JsonValue[]; complete: number } | undefined {
    const shown = this.#shown();
    const list = shown === undefined ? undefined : atPointer(shown, pointer);
    return Array.isArray(list) ? { list, complete: list.length } : undefined;
  }

  #judge({ round, id }: AnswerPlace): DeltaVerdict {
    const { live } = this.#parser;
    const isCall = id !== "";
    for (const name of this.#doom && isCall && isJsonObject(live) ? this.#parser.takeMembers() : []) {
      const issues = this.#doom!.judge(name, (live as JsonObject)[name]!);
      if (issues.length === 0) continue;
      this.#doomed = { round, id, issues };
      return "stop";
    }
    return "continue";
  }
}

function isList({ schema }: OutputSpec<unknown>): boolean {
  return isJsonObject(schema) && schema["type"] === "array";
}
