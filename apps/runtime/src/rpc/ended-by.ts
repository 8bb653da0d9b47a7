/** Who ended a server: the client, by going, or the host's own signal. */
export async function endedBy(gone: Promise<void>, signal: AbortSignal): Promise<"client" | "signal"> {
  if (signal.aborted) return "signal";
  let stop = (): void => undefined;
  const aborted = new Promise<"signal">((resolve) => {
    stop = () => resolve("signal");
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([gone.then(() => "client" as const), aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
