const firstPauseMs = 10;
const longestPauseMs = 500;

/** Waits before another try: longer each time, and never as long as somebody else who waits for the same. */
export function pause(tries: number): Promise<void> {
  const most = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(tries, 10));
  return new Promise((resolve) => setTimeout(resolve, most * (0.5 + Math.random() / 2)));
}
