import type { FindTextsOptions, FoundTexts } from "@mobkit/session";
import type { Later } from "../events/event-log.ts";
import type { ModelMessage } from "../providers/model.ts";
import type { LedgerRedaction } from "../redaction/ledger-text.ts";

/** What goes out of the ledger, or would. */
export interface RedactedLedger {
  readonly approvals: number;
  /** Questions and permissions that are denied now. */
  readonly denied: readonly string[];
  readonly forgottenRules: readonly string[];
  /** Denials that hold for more calls of their tool now. */
  readonly widenedRules: readonly string[];
}

/** What a redaction needs of where a state is kept, beside the store itself. */
export interface StateRedaction {
  /** What transcripts and events are kept in, as people are told. */
  readonly places: { readonly transcripts: string; readonly events: string };
  /** Where texts stand beside the event log; see `SqliteStore.findTexts`. */
  find(texts: readonly string[], options?: FindTextsOptions<ModelMessage>): Promise<FoundTexts>;
  /** Takes texts out of the host's own tables, in a transaction of the store. Repeating it is harmless. */
  redactLedger(tx: never, redaction: LedgerRedaction): Later<RedactedLedger>;
  /** What `redactLedger` would do. */
  previewLedger(redaction: LedgerRedaction): Promise<RedactedLedger>;
}
