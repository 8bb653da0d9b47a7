import type { JsonObject } from "@basis/core";

/** Something that `lint` found in a hooks file. */
export interface Finding {
  /** An `error` keeps the file from being used; a `warning` is probably not what was meant. */
  readonly severity: "error" | "warning";
  /** Absent when the file could not be read. */
  readonly line?: number;
  /** Where in the file, as a JSON pointer. */
  readonly pointer: string;
  readonly message: string;
  /** What to do. */
  readonly hint?: string;
}

/** What is wrong with one entry, not yet found in its file. */
export type EntryWarning = Omit<Finding, "severity" | "line">;

/** A file and what was found in it. */
export interface LintedFile {
  readonly path: string;
  /** Entries that are right. */
  readonly hookCount: number;
  readonly findings: readonly Finding[];
}

/** The files as a document. */
export function lintedToWire(files: readonly LintedFile[]): JsonObject {
  return {
    files: files.map(({ path, hookCount, findings }) => ({
      file: path,
      hooks: hookCount,
      findings: findings.map((finding) => ({ ...finding })),
    })),
    errors: countOf(files, "error"),
    warnings: countOf(files, "warning"),
  };
}

/** How many findings of a severity there are. */
export function countOf(files: readonly LintedFile[], severity: Finding["severity"]): number {
  return files.flatMap(({ findings }) => findings).filter((finding) => finding.severity === severity).length;
}
