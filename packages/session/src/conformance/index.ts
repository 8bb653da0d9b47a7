export type { TranscriptRow } from "../transcript-row.ts";
