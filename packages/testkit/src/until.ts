/** Polls until `read` answers something, then returns it. @throws Error naming what was awaited. */
export async function until<T>(
  what: string,
  read: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 30_000,
): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await read();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
