/** Runs a part of a scenario; an error in it begins with the name of the part. */
export async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Error) {
      const message = `In step "${name}": ${error.message}`;
      error.stack = (error.stack ?? '').replace(error.message, () => message);
      error.message = message;
    }
    throw error;
  }
}
