import type { SessionStore } from "@mobkit/session";
import type { ModelMessage } from "../providers/model.ts";

/** A session store of this host's messages. What a write's `join` gets is for the host's ledger alone. */
export type HostStore = SessionStore<ModelMessage, never>;
