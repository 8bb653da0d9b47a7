/** A length of time as a person says it. */
export function duration(ms: number): string {
  if (ms < 1) return "0 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${trimmed(ms / 1000)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.round((ms % 3_600_000) / 60_000)} min`;
}

/** A count of tokens in few digits. */
export function tokens(count: number): string {
  if (count < 1000) return String(count);
  if (count < 1_000_000) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

/** A number of things with its noun. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The time of day, to the millisecond, in the reader's own zone. */
export function clockTime(at: number): string {
  const date = new Date(at);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":");
  return `${day}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** A model as a person calls it: a scripted one by the name of its file. */
export function modelName({ provider, id }: { readonly provider: string; readonly id: string }): string {
  return id.startsWith("/") ? `${provider}: ${id.slice(id.lastIndexOf("/") + 1)}` : `${provider}/${id}`;
}

function trimmed(value: number): string {
  return value < 10 ? value.toFixed(1).replace(/\.0$/, "") : String(Math.round(value));
}
