/** A result that the model reads as an error, in these words alone. */
export class ErrorResult extends Error {
  override toString(): string {
    return this.message;
  }
}

/** What a model may read of an error. */
export function errorText(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : (JSON.stringify(error) ?? "unknown error");
}
